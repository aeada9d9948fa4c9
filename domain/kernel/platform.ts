/**
 * The account of whoever runs Daybook: what sellers pay for their prepaid credit goes to its wallets (N-18). Nobody
 * signs in to it.
 */
export const PLATFORM = 'platform'
