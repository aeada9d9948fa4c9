import type { FrontWords } from './front-en.ts'

/** What the page at the origin says, in German. */
export const frontWords: FrontWords = {
  title: 'Bezahlt über HTTP, direkt in die eigene Wallet',
  about:
    'Mit Daybook werden Verkäufer in Münzen bezahlt, von Menschen und von Programmen. Das Geld geht direkt an die eigene Adresse des Verkäufers; Daybook sieht es ankommen, meldet es dem Verkäufer und schreibt alles in ein Hauptbuch, in dem nichts ausradiert wird. Es hält niemandes Geld und niemandes Schlüssel.',
  sell: 'Verkaufen',
  sellText:
    'Konto anlegen, Adresse einer Wallet eintragen, Preis setzen und einen Verkauf ausprobieren: zwei Minuten, ohne eine Zeile Code.',
  program: 'Oder mit drei Aufrufen verkaufen',
  programText: (base) =>
    `Ein Programm beginnt mit drei Aufrufen an ${base}. Sie nehmen JSON; ab dem zweiten brauchen sie den Schlüssel, im Header X-Api-Key.`,
  begin: {
    '/v1/signup': 'Anmelden: E-Mail und Passwort. Die Antwort enthält Ihren API-Schlüssel, einmal.',
    '/v1/wallets': 'Sagen, wohin bezahlt wird: Münze und Adresse.',
    '/v1/resources':
      'Etwas mit einem Preis versehen: Betrag und Währung. Die Antwort enthält den Link, unter dem es gekauft wird.',
  },
  curl: 'Der erste mit curl:',
  buy: 'Kaufen',
  buyText:
    'Wer verkauft, gibt Ihnen einen Link; er zeigt, was wohin zu bezahlen ist. Mit einem Konto hier können Sie auch aus einem Guthaben bezahlen.',
  build: 'Bauen',
  buildText: 'Apps lassen Menschen sich mit ihrem Konto anmelden und nehmen Zahlungen aus deren Guthaben an.',
  check: 'Prüfen',
  checkText: 'Jedes Ereignis eines Kontos, die Bücher zu jedem Tag und der Beweis, dass danach nichts geändert wurde.',
  links: {
    seller_sign_up: 'Jetzt verkaufen',
    dashboard: 'Im Dashboard anmelden',
    openapi: 'API-Referenz (OpenAPI 3.1)',
    market: 'Was verkauft wird',
    services: 'Wer Dienste verkauft',
    openid_configuration: 'Anmeldung für Apps (OpenID Connect)',
    sign_in: 'Anmelden',
    sign_up: 'Konto anlegen',
    account: 'Ihr Konto',
    audit: 'Das Hauptbuch lesen',
    status: 'Zustand dieses Dienstes',
  },
}
