import { claimedPlace, isHeldBy } from '../../account/address-claim.ts'
import { codesAt } from '../../account/wallet.ts'
import { idOf } from '../../kernel/stream-id.ts'
import type { Policy } from '../subscriber/policy.ts'

/** Who held an address before it became another account's is not paid there any more: its wallets of it are paused. */
export const pauseLostWallets: Policy = {
  name: 'pause-lost-wallets',
  on: {
    AddressClaimed: async ({ stream, data: { from } }, { ledger }) => {
      const id = idOf(stream)
      for (const accountId of from) {
        // It may have come back since.
        if (isHeldBy(await ledger.addressClaim.read(id), accountId)) continue
        const place = claimedPlace(id)
        for (const asset of codesAt(await ledger.wallet.read(accountId), place))
          await ledger.wallet.lose(accountId, { asset, address: place.address })
      }
    },
  },
}
