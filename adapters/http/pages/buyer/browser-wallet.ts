import { html } from 'htm/preact'
import type { BuyerLocale } from './messages/buyer-locale.ts'
import type { WalletCall } from './wallet-call.ts'

/**
 * Where the script offers the wallets that it finds in the browser; without script, or without a wallet, nothing is
 * seen of it. It brings the words and the transaction, which is sent by a click alone.
 */
export const browserWallet = (
  { chainId, to, value, data, add }: WalletCall,
  network: string,
  { words: { wallet } }: BuyerLocale,
) => html`
  <section
    class="card wallet"
    aria-labelledby="wallet"
    data-wallet
    data-chain=${chainId}
    data-to=${to}
    data-value=${value}
    data-call=${data}
    data-add=${add && JSON.stringify(add)}
    data-pay-with=${wallet.payWith(NAME)}
    data-nameless=${wallet.nameless}
    data-asking=${wallet.asking}
    data-sent=${wallet.sent}
    data-refused=${wallet.refused}
    data-busy=${wallet.busy}
    data-other-chain=${wallet.otherChain(network)}
    data-offline=${wallet.offline}
    data-poor=${wallet.poor}
    data-failed=${wallet.failed}
    hidden
  >
    <h2 id="wallet">${wallet.heading}</h2>
    <div class="wallets"></div>
    <p class="hint" role="status"></p>
  </section>
`

/** Stands in a text where the script puts the name of a wallet. */
const NAME = '{name}'
