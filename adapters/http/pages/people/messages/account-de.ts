import type { AccountWords } from './account-en.ts'

/** What the frame, the profile and the address of one's own account say, in German. */
export const accountWords: AccountWords = {
  title: 'Ihr Konto',
  pages: {
    '/account': 'Profil',
    '/account/security': 'Sicherheit',
    '/account/sessions': 'Geräte',
    '/account/apps': 'Apps',
    '/account/standing-orders': 'Daueraufträge',
    '/account/balance': 'Guthaben',
    '/account/game': 'Spiel',
    '/account/developer': 'Eigene Apps',
  },
  profile: 'Ihr Profil',
  profileText: 'Apps, bei denen Sie sich anmelden, erfahren dies, wenn Sie es ihnen erlauben.',
  name: 'Name',
  shortName: 'Kurzname',
  picture: 'Adresse eines Bildes',
  pictureHint: 'Beginnt mit https://',
  language: 'Sprache',
  languageHint: 'Zum Beispiel en, de-CH oder pt-BR',
  save: 'Speichern',
  saved: 'Gespeichert.',
  changeEmail: 'Ihre E-Mail-Adresse ändern',
  changeEmailText: [
    'Sie melden sich an als ',
    '. Beide Adressen bekommen einen Brief. Die Adresse wird geändert, sobald Sie die Links in beiden geöffnet haben.',
  ],
  newEmail: 'Neue E-Mail-Adresse',
  sendBoth: 'Beide Briefe schicken',
  bothSent:
    'Wir haben an beide Adressen einen Brief geschickt. Die Adresse wird geändert, sobald Sie die Links in beiden geöffnet haben.',
  tooManyLetters: (seconds) =>
    `In einer Stunde werden höchstens drei solche Briefe geschickt. Bitte verwenden Sie die, die Sie haben, oder versuchen Sie es in ${minutes(seconds)} noch einmal.`,
  agree: 'Die E-Mail-Adresse ändern',
  agreeText:
    'Damit stimmen Sie zu, dass Ihr Konto die neue Adresse bekommt. Sie wird geändert, sobald Sie die Links in beiden Briefen geöffnet haben.',
  agreeButton: 'Ich stimme zu',
  emailChange: {
    changed: ['Ihre E-Mail-Adresse ist geändert', 'Von jetzt an melden Sie sich mit der neuen an.'],
    waiting: ['Noch ein Brief', 'Vielen Dank. Bitte öffnen Sie jetzt den Link im Brief an die andere Adresse.'],
    taken: ['Diese Adresse wird schon verwendet', 'Ein anderes Konto hat diese Adresse. Ihre bleibt, wie sie war.'],
  },
}

const minutes = (seconds: number): string => (seconds <= 60 ? 'einer Minute' : `${Math.ceil(seconds / 60)} Minuten`)
