import type { Messages } from './en.ts'
import { paymentWords } from './payments-de.ts'

/** What the dashboard says, in German. */
export const de: Messages = {
  frame: {
    skip: 'Zum Inhalt springen',
    screens: 'Ansichten',
    menu: 'Menü',
    signOut: 'Abmelden',
    product: 'Daybook',
  },
  screens: { home: 'Übersicht', payments: 'Zahlungen', security: 'Sicherheit' },
  home: {
    title: 'Übersicht',
    greeting: (name) => `Guten Tag, ${name}`,
    confirmed: 'Ihre E-Mail-Adresse ist bestätigt.',
    unconfirmed: (email) =>
      `Wir haben einen Brief an ${email} geschickt. Öffnen Sie den Link darin, um die Adresse zu bestätigen.`,
    next: 'Was Sie hier tun können',
    security: 'Zweiten Schritt einrichten, Geräte ansehen, Passwort ändern',
    reference: 'Nachlesen, was die Schnittstelle kann',
    audit: 'Das Journal lesen',
  },
  payments: paymentWords,
  menu: { title: 'Menü' },
  fresh: {
    title: 'Bitte bestätigen Sie, dass Sie es sind',
    text: 'Was Sie vorhaben, verlangt Ihren zweiten Schritt, der höchstens fünf Minuten alt ist.',
    button: 'Weiter',
  },
  failures: {
    stale: [
      'Bitte öffnen Sie die Seite noch einmal',
      'Dieses Formular ist älter als Ihre Anmeldung oder Bestätigung, oder es kam nicht von unseren Seiten. Nichts wurde getan.',
    ],
    forbidden: [
      'Das dürfen Sie nicht',
      'Ihre Rolle in diesem Konto schließt es nicht ein. Die Inhaberin oder der Inhaber des Kontos kann das ändern.',
    ],
    tooMany: ['Zu viele Versuche', 'Bitte warten Sie ein wenig und versuchen Sie es noch einmal.'],
    missing: ['Hier ist nichts', 'Der Link ist vielleicht unvollständig, oder was er zeigte, gibt es nicht mehr.'],
    later: ['Das geht im Augenblick nicht', 'Nichts ging verloren. Bitte versuchen Sie es gleich noch einmal.'],
    ours: ['Bei uns ging etwas schief', 'Bitte versuchen Sie es gleich noch einmal.'],
    other: [
      'Das ging nicht',
      'Etwas an dieser Anfrage ist nicht, wie es sein soll. Bitte gehen Sie zurück und versuchen Sie es noch einmal.',
    ],
    home: 'Zur Übersicht',
  },
  parts: {
    copy: 'Kopieren',
    copied: 'Kopiert',
    explorer: 'Im Explorer nachsehen',
    filter: 'Anzeigen',
    clear: 'Zurücksetzen',
    older: 'Ältere',
    newest: 'Neueste',
    pages: 'Seiten',
    asTable: 'Die Zahlen als Tabelle',
    optional: 'freiwillig',
  },
}
