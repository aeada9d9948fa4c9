/** What the screen of activity says, in English. */
export const activityWords = {
  title: 'Activity',
  about:
    'What people and keys did in this account. What follows from payments or from the clock is no act. Signing in leaves no trace here.',
  filters: 'Narrow the list',
  search: 'Search',
  kind: 'About',
  all: 'All',
  who: 'Who',
  actor: 'Id of the person or key',
  subject: 'Done to',
  subjectHint: 'A coin, a store, a payment or another id',
  from: 'From',
  to: 'To',
  csv: 'Download as CSV',
  when: 'When',
  act: 'What',
  network: 'From where',
  none: 'Nothing was done yet',
  noneText: 'What people and keys do in this account shows here.',
  firstSteps: 'Go to the first steps',
  noMatch: 'Nothing fits these filters',
  noMatchText: 'Take one of them away, or show everything.',
  showAll: 'Show everything',
  noMore: 'There is nothing older',
  noMoreText: 'This is the end of the list.',
  toNewest: 'Show the newest',
  you: 'You',
}

/** What acts are about. */
export const actKinds = {
  account: 'The account',
  keys: 'Keys',
  people: 'People and their sign-in',
  wallets: 'Wallets',
  settings: 'Settings',
  stores: 'Stores',
  shop: 'The shop',
  selling: 'What is sold',
  payments: 'Payments',
  billing: 'Billing',
}

/** Who acts. */
export const actorKinds = {
  'owner-key': 'The owner key, or a sandbox key',
  member: 'A member',
  'sub-key': 'A sub-key',
  'store-key': 'The key of a store',
  operator: 'The operator of the service',
  anonymous: 'Somebody without a key',
}
