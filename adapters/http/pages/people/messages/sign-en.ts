/** What the pages of signing up and signing in say, in English; `sign-de.ts` has the same shape. */
export const signWords = {
  lang: 'en',
  signIn: 'Sign in',
  signInAgain: 'Sign in again',
  again: 'What you are about to do needs to know that it is still you.',
  email: 'Email address',
  password: 'Password',
  yourPassword: 'Your password',
  newPassword: 'New password',
  passwordHint: 'At least 8 characters. A few words that belong together only for you are best.',
  byPasskey: 'Sign in with a passkey',
  forgot: 'Forgot your password?',
  signUp: 'Create an account',
  signUpButton: 'Create the account',
  haveOne: 'I have an account already',
  name: 'Your name',
  nameHint: 'You may leave this empty.',
  oneMore: 'One more step',
  goOn: 'Continue',
  startAgain: 'Start again',
  signOut: 'Sign out',
  staySignedIn: 'Stay signed in',
  signedOut: 'You are signed out',
  confirmIt: 'Confirm that it is you',
  usePasskey: 'Use your passkey',
  noScript: 'Passkeys need JavaScript, which is switched off in this browser.',
  passkeyFailures: {
    NotAllowedError: 'No passkey was used. You can try again, or choose another way.',
    InvalidStateError: 'This device has a passkey for you already.',
    other: 'The passkey could not be used. Please choose another way.',
  },
  code: 'Code from your authenticator app',
  recoverySummary: 'Use a recovery code',
  recovery: 'Recovery code',
  recoveryHint: 'One of the ten that you kept. Each works once.',
  confirmEmail: 'Confirm your email address',
  letterSent: ['We have sent a letter to ', '. Open the link in it, and you can sign in.'] as readonly [
    before: string,
    after: string,
  ],
  letterMay: 'It may take a minute, and may be among unwanted mail.',
  sentAgain: 'Signing in again sends another one, five an hour at most.',
  lookIntoMail: 'Look into your mail',
  ownerKey: 'Your owner key',
  ownerKeyText:
    'Programs of yours use it. Keep it: it also gives you another password. Whoever has it may act for your account.',
  ownerKeyOnce: 'It is shown now and never again.',
  seatless: 'You belong to no account any more',
  seatlessText:
    'Whoever owned the account has removed you from its team, or closed it. Ask them to invite you again: the letter lets you choose a password.',
  invited: 'You are a member of a team',
  invitedText:
    'Ask the owner of the account to remove you and to invite you again: the letter lets you choose another password.',
  suspendedUserText:
    'You cannot sign in, and nothing is taken from your balance. What comes in for you is kept. Please write to whoever runs this service.',
  suspended: 'This account is suspended',
  suspendedText:
    'Nobody can sign in to it. Payments that were asked for before still arrive. Please write to whoever runs this service.',
  forgotAbout:
    'The addresses of your wallets say where your money goes. So a letter alone does not open the account to whoever reads your mail: something else of yours has to come with it.',
  withPasskey: 'You have a passkey',
  withPasskeyText: 'It signs you in without the password.',
  withKey: 'You have your owner key',
  withKeyText:
    'Set another password with it. It counts 24 hours later, and a letter tells you of it at once, so that a stolen key alone opens nothing.',
  lostKey: 'You know the password, and have lost your owner key',
  lostKeyText: 'A mailed link gives you a new one, together with the password.',
  lostKeyWay: 'Ask for the letter',
  neither: 'You have none of these',
  neitherText: 'Write to whoever runs this service, who can give you another key once sure that it is you.',
  /** Sentences of refusals, as the domain says them, in this language. */
  refusals: {} as Readonly<Record<string, string>>,
}

export type SignWords = typeof signWords
