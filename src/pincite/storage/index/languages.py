"""What the analyser knows of each language: its stemmer and its function words.

The words are those that carry grammar and no subject: articles, pronouns, prepositions,
auxiliaries, question words. Nouns and full verbs are not among them, however common ("date",
"computer"), because a knowledge base may be about them. They are written without accents, as
the analyser compares them.
"""

from typing import Final

STEMMERS: Final = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""Snowball's algorithm by ISO 639-1 code; a language that is missing here is not stemmed."""

_FUNCTION_WORDS: Final = {
    "da": """
        af alle at da de dem den denne der deres det dette dig din disse dog du efter eller en er
        et for fra ham han hans har hende hendes her hun hvad hvem hvilke hvilken hvilket hvis hvor
        hvordan hvorfor i ikke ind ja jeg jer jeres kan kunne man med meget men mig min mit ned nej
        nu nar og ogsa om op os over pa sa sig sin sit skal skulle som til ud under var ved vi vil
        ville vor var vaere blev bliver hvornar
    """,
    "de": """
        aber alle allem allen aller alles als also am an ander andere anderem anderen anderer
        anderes auch auf aus bei beim bin bis bist da damit dann das dass dein deine dem den denn
        der des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein
        eine einem einen einer eines er es etwas euch euer fur gegen gibt habe haben hat hatte
        hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede
        jedem jeden jeder jedes jene jenem jenen jener jenes kann kein keine keinem keinen keiner
        konnen konnte lasst machen man manche mehr mein meine meinem meinen meiner mich mir mit
        muss mussen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen
        seiner seit sich sie sind so solche soll sollte sondern sonst uber um und uns unser unsere
        unter viel vom von vor wahrend wann war waren warum was weil welche welchem welchen welcher
        welches wenn wer werde werden wessen wie wieder wieso will wir wird wo wodurch woher wohin
        womit worden wurde wurden zu zum zur zwar zwischen
    """,
    "en": """
        a about above after again against all also am an and any are aren as at be because been
        before being below between both but by can cannot could couldn d did didn do does doesn
        doing don down during each either else etc ever every few for from further had hadn has
        hasn have haven having he her here hers herself him himself his how however i if in into is
        isn it its itself just ll m may me might more most much must mustn my myself nor not of off
        on once only or other our ours ourselves out over own re s same shall shan she should
        shouldn so some such t than that the their theirs them themselves then there these they
        this those through to too under until up upon us ve very was wasn we were weren what when
        where whether which while who whom whose why will with within without won would wouldn yet
        you your yours yourself yourselves
    """,
    "es": """
        a al algo algun alguna algunas alguno algunos ante antes aquel aquella aquellas aquello
        aquellos aqui asi aun aunque cada como con contra cual cuales cualquier cuando cuanta
        cuantas cuanto cuantos de del desde donde dos durante e el ella ellas ello ellos en entre
        era eran es esa esas ese eso esos esta estaba estaban estan estar estas este esto estos
        estoy fue fueron ha haber habia habian han has hasta hay he la las le les lo los mas me mi
        mientras mis misma mismo mucha muchas mucho muchos muy ni no nos nosotros nuestra nuestras
        nuestro nuestros o os otra otras otro otros para pero poco por porque pues que quien
        quienes se sea sean segun ser si sido siendo sin sobre solo son soy su sus tal tambien
        tampoco tan tanto te tener tenia ti tiene tienen toda todas todavia todo todos tras tu tus
        u un una unas uno unos usted ustedes vosotros y ya yo
    """,
    "fi": """
        aivan eli emme en et ette etta ei eivat han hanen hanta he heidan heilla heita ja jo joka
        jos jossa jota jotka joten kanssa kuin kuinka kuka ketka koska kun me meidan meilla mika
        mikali miksi milla milloin mina minun missa mista mita mitka mutta myos ne niiden niin
        niita noin nuo nyt ole olemme olen olet olette oli olivat olla on ovat samoin se sen sita
        siella siina siita sina sinun tai tama taman tassa tata te teidan teilla tuo vaan vai vaikka
        voi voin voiko voit
    """,
    "fr": """
        a afin ai aient ainsi ait alors apres as au aucun aucune aujourd auquel aura aurait aussi
        autre autres aux auxquels avait avant avec avez avoir avons ayant c ca car ce ceci cela
        celle celles celui cependant ces cet cette ceux chaque chez ci comme comment d dans de
        dedans depuis des desormais dois doit donc dont du durant elle elles en encore entre es est
        et etaient etais etait etant etc ete etes etre eu eux faire fait faites faut font hors hui
        ici il ils j je jusqu jusque l la laquelle le lequel les lesquelles lesquels leur leurs
        lors lorsqu lorsque lui m ma mais malgre me meme memes mes mien moi moins mon n ne ni non
        nos notre nous on ont or ou par parce parmi pas pendant peu peut peuvent peux plus plusieurs
        pour pourquoi pouvons puis puisqu puisque qu quand que quel quelle quelles quels quelqu
        quelque quelques qui quoi s sa sans sauf se selon sera serait seront ses si sien sinon soi
        soient soit sommes son sont sous suis sur t ta tandis te tel telle telles tels tes toi ton
        tous tout toute toutes tres trop tu un une vers via voici voila vos votre vous vu y
    """,
    "it": """
        a ad agli ai al alla alle allo anche ancora avere aveva avevano c che chi ci cio coi col
        come con contro cosa cosi cui d da dagli dai dal dalla dalle dallo degli dei del dell della
        delle dello deve di dopo dove dunque e ed egli ella era erano essere fa fra fu gia gli ha
        hai hanno ho i il in io l la le lei li lo loro lui ma me mentre mi mia mie miei mio molto
        ne negli nei nel nell nella nelle nello noi non nostra nostre nostri nostro o ogni oppure
        ora per perche pero piu poi possibile puo qual quale quali quando quanto quasi quella
        quelle quelli quello questa queste questi questo qui quindi se sei senza si sia siamo siano
        solo sono sopra sotto sta stata stati stato su sua sue sugli sui sul sulla sulle sullo suo
        suoi tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno vi voi vostra vostro
    """,
    "nb": """
        alle at av bare ble bli blir da de deg dem den denne der deres det dette din disse du eller
        en er et etter for fordi fra ha hadde han hans har hennes her hun hva hvem hvilke hvilken
        hvis hvor hvordan hvorfor i ikke ingen inn ja jeg kan kunne man med meg men mer min mitt
        na nar noe noen nei og ogsa om opp oss over pa sa seg sin sitt skal skulle slik som til ut
        under uten var ved vi vil ville var vaere vaert
    """,
    "nl": """
        aan al alle alles als ander andere bij ben bent daar dan dat de der deze die dit doch doen
        door dus een eens en er ge geen had hadden heb hebben hebt heeft hem het hier hij hoe
        hoeveel hun iemand iets ik in is ja je jij jou jouw jullie kan kon kunnen kunt maar me meer
        men met mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons onze ook op
        over reeds te tegen toch toen tot u uit uw van veel voor waar waarom wanneer want waren was
        wat we wel welk welke werd wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo
        zonder zou zouden
    """,
    "pl": """
        aby albo ale ani az bez bo by bylo byl byla byly byc chce co czego czy czym czyli dla do
        dlaczego gdy gdzie go i ich ile im innych ja jak jaka jakie jaki jako je jego jej jest
        jestem jesli jeszcze juz kazdy kiedy kto ktora ktore ktory ktorych lub ma maja mam mi mnie
        moze mozna moj na nad nam nas nasz nie nich nim niz no o od on ona one oni oraz po pod
        poniewaz przed przez przy sa sie swoj ta tak takie tam te tego tej ten to tu tych tylko
        tym u w we wiec wszystko z za ze zeby
    """,
    "pt": """
        a ainda alem algum alguma algumas alguns ao aos apos aquela aquelas aquele aqueles aquilo
        as assim ate cada com como contra da das de dela dele deles depois desde dessa desse desta
        deste do dos e ela elas ele eles em entao entre era eram essa essas esse esses esta estao
        estar estas estava este estes estou eu foi for foram ha isso isto ja la lhe lhes mais mas
        me mesmo meu meus minha minhas muito muitos na nao nas nem nenhum no nos nossa nosso nossos
        num numa o onde os ou outra outras outro outros para pela pelas pelo pelos pode podem por
        porque pois qual quais qualquer quando quanto que quem se sem sendo ser sera seu seus si
        sido so sob sobre sua suas tal tambem tao te tem ter teu tinha toda todas todo todos tu
        tua tudo um uma umas uns voce voces
    """,
    "ro": """
        a acea aceasta aceste acest acesta aceste ai al ale am ar are as asta atunci au avea ca
        care cand cat ce cea cei cel cele cine cu cum da daca dar de deci din dintre doar dupa ea
        ei el ele era este eu fara fi fie fost iar ii il imi in intr intre isi la le lor lui mai
        mea mi mult ne nici noi nostru nu o ori pana pe pentru prin sa sau se si spre sub sunt
        suntem ta te tot toate un una unde unei unor unui va vom vor voi
    """,
    "ru": """
        а без бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для
        до его ее ей если есть еще же за здесь и из или им их к как какая какие какой ко когда кто
        ли либо между меня мне может можно мой мы на над надо нам нас наш не него нее нет ни них но
        ну о об однако он она они оно от очень по под почему при с сам свой себя со так также такой
        там тебя тем то того тоже той только том тот ты у уже хотя чего чей чем что чтобы эта эти
        это этого этой этом этот я
    """,
    "sv": """
        alla allt an att av blev bli blir bara da de dem den denna deras dess dessa det detta dig
        din ditt du dar efter eller en er ett for fran ha hade han hans har henne hennes hon hos
        hur har i icke in inga ingen inom inte ja jag kan kunde man med mellan men mig min mitt
        mot mycket nagon nagot nagra nar ni nu och om oss pa samma sa sedan sig sin sitt ska skall
        skulle som till under upp ut utan vad var vara varfor varit vart vem vi vid vilka vilken
        vilket vill at over
    """,
    "tr": """
        acaba ama ancak bana bazi ben beni bir biri biz bize bu bunu bunun cok cunku da daha de
        degil diye en gibi hangi hem hep hepsi her hic icin ile ise kadar kim ki mi mu nasil ne
        neden nerede nereye ne niye o olan olarak oldu on ona onu onun onlar sen siz su tum var ve
        veya ya yani
    """,
}
_FUNCTION_WORDS_AS: Final = {"no": "nb", "nn": "nb"}

FUNCTION_WORDS: Final = {
    language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()
}
"""Stop words by ISO 639-1 code."""


def primary_language(tag: str) -> str:
    """The ISO 639-1 code of a BCP 47 tag: ``en`` for ``en-GB``, ``pt`` for ``PT_br``."""
    return tag.replace("_", "-").partition("-")[0].lower()


def function_words(language: str) -> frozenset[str]:
    """The stop words of a primary language; none where we keep no list."""
    return FUNCTION_WORDS.get(_FUNCTION_WORDS_AS.get(language, language), frozenset())
