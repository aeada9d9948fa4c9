import type { ClosingWords } from '../en/closing.ts'

/** What the dashboard says of closing an account, in German. */
export const closingWords: ClosingWords = {
  title: 'Konto schließen',
  means: 'Was das bedeutet',
  keys: 'Jeder Schlüssel von Menschen, Programmen und Läden endet sofort, und alle werden abgemeldet. Niemand kann das Konto wieder öffnen.',
  sales: 'Ihre Links, Ihr Laden und Ihre Seiten verkaufen nichts mehr.',
  wallets: 'Ihre Wallets gehören Ihnen wie bisher: Daybook hält keine Ihrer Münzen.',
  credit: 'Übrig vom Guthaben:',
  creditText:
    'Es bleibt in den Büchern dieses Kontos und bezahlt nichts mehr. Lassen Sie es sich vom Betreiber dieses Dienstes zurückgeben, bevor Sie schließen.',
  webhooks: 'Was noch nicht per Webhook gemeldet ist, wird weiter versucht, so lange wie sonst auch.',
  data: 'Das Hauptbuch behält seine Ereignisse: Sie belegen, was Käufer und Bücher betrifft. Sichern Sie vorher, was Sie brauchen: danach liest es kein Schlüssel mehr.',
  address:
    'Ihre E-Mail-Adresse bleibt beim geschlossenen Konto und ist für kein neues frei. Der Betreiber dieses Dienstes kann persönliche Daten löschen.',
  csv: 'Alle Zahlungen als CSV sichern',
  ledger: 'Das Hauptbuch lesen und exportieren',
  obstacles: 'Das steht dem Schließen jetzt entgegen',
  payments: (count) => (count === 1 ? '1 offene Zahlung' : `${count} offene Zahlungen`),
  paymentsText:
    'die Käufer noch leisten können oder die auf Bestätigungen warten. Pausieren Sie Ihre Wallets, damit keine neuen beginnen, und warten Sie.',
  until: 'Was niemand bezahlt, endet spätestens am',
  refunds: (count) => (count === 1 ? '1 Erstattung' : `${count} Erstattungen`),
  refundsText:
    'die Sie schulden: notiert, aber nicht auf der Blockchain gesehen. Senden Sie die Münzen, und tragen Sie den Hash bei der Zahlung ein.',
  disputes: (count) => (count === 1 ? '1 Streitfall' : `${count} Streitfälle`),
  disputesText: 'bei Kartenzahlungen, über den der Zahlungsdienst noch nicht entschieden hat.',
  owed: 'Gebühren, die Sie schulden:',
  owedText: 'Laden Sie zuerst Guthaben in dieser Höhe auf.',
  factorFirst: 'Das Schließen verlangt einen zweiten Schritt, damit ein gestohlenes Passwort allein nichts schließt.',
  factorWay: 'Zuerst einen einrichten',
  form: 'Endgültig schließen',
  email: 'Ihre E-Mail-Adresse',
  emailHint: (email) => `Geben Sie ${email} ein, damit dies nicht aus Versehen geschieht.`,
  emailOther: 'Das ist nicht die E-Mail-Adresse des Kontos.',
  button: 'Das Konto endgültig schließen',
  leave: 'Offen lassen',
  doneTitle: 'Das Konto ist geschlossen',
  doneText: 'Jeder Schlüssel ist beendet, und Sie sind abgemeldet. Ein Brief sagt es Ihnen.',
  signInTitle: 'Dieses Konto ist geschlossen',
  signInText: (day) =>
    `Sein Inhaber hat es am ${day} endgültig geschlossen, und niemand kann sich anmelden. Um wieder zu verkaufen, legen Sie ein neues Konto mit einer anderen E-Mail-Adresse an.`,
}
