import { paymentWords } from './payments-en.ts'

/**
 * What the dashboard says, in English. It is the shape that every other language has to fill: a text that is added here
 * does not compile until `de.ts` has it, too. A text with something in it is a function.
 */
export const en = {
  frame: {
    skip: 'Skip to the content',
    screens: 'Screens',
    menu: 'Menu',
    signOut: 'Sign out',
    product: 'Daybook',
  },
  screens: { home: 'Home', payments: 'Payments', security: 'Security' },
  home: {
    title: 'Home',
    greeting: (name: string) => `Hello, ${name}`,
    confirmed: 'Your email address is confirmed.',
    unconfirmed: (email: string) => `We have sent a letter to ${email}. Open the link in it to confirm the address.`,
    next: 'What you can do here',
    security: 'Add a second step, see your devices, change your password',
    reference: 'Read what the interface can do',
    audit: 'Read the ledger',
  },
  payments: paymentWords,
  menu: { title: 'Menu' },
  fresh: {
    title: 'Please confirm that it is you',
    text: 'What you are about to do asks for your second step, at most five minutes ago.',
    button: 'Go on',
  },
  failures: {
    stale: [
      'Please open the page again',
      'This form is from before you signed in or confirmed something, or did not come from our pages. Nothing was done.',
    ],
    forbidden: [
      'You may not do this',
      'Your role in this account does not include it. The owner of the account can change that.',
    ],
    tooMany: ['Too many tries', 'Please wait a little and try again.'],
    missing: ['There is nothing here', 'The link may be incomplete, or what it showed is gone.'],
    later: ['This is not available right now', 'Nothing was lost. Please try again in a moment.'],
    ours: ['Something went wrong on our side', 'Please try again in a moment.'],
    other: ['That did not work', 'Something in this request is not as it should be. Please go back and try again.'],
    home: 'To the dashboard',
  },
  parts: {
    copy: 'Copy',
    copied: 'Copied',
    explorer: 'Look it up in the explorer',
    filter: 'Show',
    clear: 'Clear',
    older: 'Older',
    newest: 'Newest',
    pages: 'Pages',
    asTable: 'The numbers as a table',
    optional: 'optional',
  },
} satisfies Catalogue

/** A text, a text with something in it, or a title and a text. */
type Text = string | string[] | ((...given: never[]) => string)
type Catalogue = { readonly [part: string]: { readonly [name: string]: Text } }

export type Messages = typeof en
