/** What the frame of one's own account says, in English; `account-de.ts` has the same shape. */
export const accountWords = {
  title: 'Your account',
  pages: {
    '/account': 'Profile',
    '/account/security': 'Security',
    '/account/sessions': 'Devices',
    '/account/apps': 'Apps',
    '/account/standing-orders': 'Standing orders',
    '/account/balance': 'Balance',
    '/account/game': 'Game',
    '/account/developer': 'Own apps',
  },
}

export type AccountWords = typeof accountWords
