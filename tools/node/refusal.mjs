// Calls one tool with the TypeScript clients and prints what each hands to its caller:
// { "old": the 1.x client's result, "new": the 2.x client's }. Both list the tools first, so
// that they hold the result against the advertised output schema.
//
// node refusal.mjs URL TOKEN TOOL ARGUMENTS

import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, token, name, given] = process.argv.slice(2);

async function called(Client, Transport) {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new Transport(new URL(url), { requestInit }));
  const { tools } = await client.listTools();
  const { structuredContent, isError } = await client.callTool({ name, arguments: JSON.parse(given) });
  await client.close();
  return { tools: tools.length, structuredContent, isError: isError ?? false };
}

const found = { old: await called(OldClient, OldTransport), new: await called(NewClient, NewTransport) };
console.log(JSON.stringify(found));
