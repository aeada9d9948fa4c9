import { attributeFound } from '../../use-cases/selling/settling/attribute-transfer.ts'
import type { Policy } from '../subscriber/policy.ts'

/** Every transfer that the chain watch has seen pays what it is meant for (T-CHL-01). */
export const attributeTransfers: Policy = {
  name: 'attribute-transfers',
  on: {
    TransfersSeen: async ({ data: { transfers, head } }, { ledger, secondVoice }) => {
      for (const transfer of transfers) await attributeFound(ledger, transfer, secondVoice.known, head)
    },
  },
}
