import type { AccountWords } from './account-en.ts'

/** What the frame of one's own account says, in German. */
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
}
