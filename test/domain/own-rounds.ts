import { accountRounds } from './account-rounds.ts'
import { cardRounds } from './card-rounds.ts'
import { claimRounds } from './claim-rounds.ts'
import { commerceRounds } from './commerce-rounds.ts'
import { gameRounds } from './game-rounds.ts'
import { merchantKeyRounds } from './merchant-key-rounds.ts'
import { relayRounds } from './relay-rounds.ts'
import { signInRounds } from './sign-in-rounds.ts'
import { siteRounds } from './site-rounds.ts'
import { storefrontRounds } from './storefront-rounds.ts'
import { teamRounds } from './team-rounds.ts'
import { transactionRounds } from './transaction-rounds.ts'
import { transferRounds } from './transfer-rounds.ts'

/** The rounds that stand in files of their own. */
export const ownRounds = {
  ...accountRounds,
  ...cardRounds,
  ...claimRounds,
  ...commerceRounds,
  ...gameRounds,
  ...merchantKeyRounds,
  ...relayRounds,
  ...signInRounds,
  ...siteRounds,
  ...storefrontRounds,
  ...teamRounds,
  ...transactionRounds,
  ...transferRounds,
}
