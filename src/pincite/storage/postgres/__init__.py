"""The store on PostgreSQL, for several servers; imported only when a URL asks for it."""
