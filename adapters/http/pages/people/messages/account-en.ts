import { waitOf } from '../../plain-words.ts'

/**
 * What the frame, the profile and the address of one's own account say, in English; `account-de.ts` has the same shape.
 */
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
  profile: 'Your profile',
  profileText: 'Apps that you sign in to learn this when you let them.',
  name: 'Name',
  shortName: 'Short name',
  picture: 'Address of a picture',
  pictureHint: 'Starts with https://',
  language: 'Language',
  languageHint: 'Such as en, de-CH or pt-BR',
  save: 'Save',
  saved: 'Saved.',
  changeEmail: 'Change your email address',
  changeEmailText: [
    'You sign in as ',
    '. Both addresses get a letter, and the change is made once both links were followed.',
  ] as readonly [before: string, after: string],
  newEmail: 'New email address',
  sendBoth: 'Send both letters',
  bothSent: 'We have sent a letter to both addresses. The change is made once the links in both were followed.',
  tooManyLetters: (seconds: number) =>
    `At most three such letters are sent in an hour. Please follow those that you have. ${waitOf(seconds)}`,
  agree: 'Change the email address',
  agreeText: 'This agrees that your account gets the new address. The change is made once both letters were followed.',
  agreeButton: 'I agree',
  emailChange: {
    changed: ['Your email address is changed', 'From now on you sign in with the new one.'],
    waiting: ['One more letter', 'Thank you. Now follow the link in the letter to the other address.'],
    taken: ['This address is in use', 'Another account has this address, so yours stays as it was.'],
  } as Readonly<Record<'changed' | 'waiting' | 'taken', readonly [title: string, text: string]>>,
}

export type AccountWords = typeof accountWords
