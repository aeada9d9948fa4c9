/*
 * Offers the wallets that are in the browser (EIP-6963, else the one of EIP-1193) to pay what the page asks. The page
 * brings the transaction and the words; a wallet is asked for nothing before its button is pressed, and the hash goes
 * to the form of the page.
 */
;(() => {
  /** Wallets that are shown; more of them are no choice any more. */
  const WALLETS_MAX = 6
  /** Characters of a wallet's name that are shown. */
  const NAME_MAX = 40
  /** Milliseconds after which the form is not waited for: the payment is seen without it. */
  const POST_MS = 20_000

  /** The codes of EIP-1193 and of MetaMask's JSON-RPC, by what is said of them. */
  const UNKNOWN_CHAIN = 4902
  const WORDS_OF = {
    4001: 'refused',
    '-32002': 'busy',
    [UNKNOWN_CHAIN]: 'otherChain',
    4900: 'offline',
    4901: 'offline',
  }

  const found = new Map()
  let asked = false

  const place = () => document.querySelector('[data-wallet]')

  const say = (text) => {
    const status = place()?.querySelector('[role=status]')
    if (status) status.textContent = text
  }

  const allow = (isAllowed) => {
    for (const button of place()?.querySelectorAll('button') ?? []) button.disabled = !isAllowed
  }

  const show = () => {
    const section = place()
    const injected = globalThis.ethereum
    const all = found.size > 0 ? [...found.values()] : injected?.request ? [{ name: '', provider: injected }] : []
    if (!section || all.length === 0) return
    const { payWith, nameless } = section.dataset
    const buttons = all.map(({ name, provider }) => {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = payWith.split('{name}').join(name || nameless)
      button.disabled = asked
      button.addEventListener('click', () => pay(provider))
      return button
    })
    section.querySelector('.wallets').replaceChildren(...buttons)
    section.hidden = false
  }

  /** One payment at a time; after one was sent, no second one, so that nobody pays twice. */
  const pay = async (provider) => {
    if (asked) return
    asked = true
    allow(false)
    const { chain, to, value, call, add, asking, sent } = place().dataset
    say(asking)
    try {
      const [from] = await provider.request({ method: 'eth_requestAccounts' })
      await reach(provider, chain, add)
      // What the page asks for may have changed while the wallet was asking.
      const now = place()?.dataset
      if (now?.to !== to || now.value !== value || now.call !== call) return begin()
      const params = [{ from, to, value, ...(call && { data: call }) }]
      const hash = await provider.request({ method: 'eth_sendTransaction', params })
      say(sent)
      await post(hash)
    } catch (error) {
      asked = false
      allow(true)
      say(wordsOf(error))
    }
  }

  /** Asks the wallet to go to the chain of the payment, adds it where it is unknown, and checks that it is there. */
  const reach = async (provider, chain, add) => {
    const isThere = async () => BigInt(await provider.request({ method: 'eth_chainId' })) === BigInt(chain)
    const go = () => provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: chain }] })
    if (await isThere()) return
    try {
      await go()
    } catch (error) {
      if (codeOf(error) !== UNKNOWN_CHAIN || !add) throw error
      await provider.request({ method: 'wallet_addEthereumChain', params: [JSON.parse(add)] })
      // Some wallets add a chain without going there.
      if (!(await isThere())) await go()
    }
    if (!(await isThere()))
      throw Object.assign(new Error('the wallet stayed on another chain'), { code: UNKNOWN_CHAIN })
  }

  /** The hash makes it quicker; the payment is seen without it, too. */
  const post = async (hash) => {
    const input = document.querySelector('input[name=hash]')
    if (!input || !/^0x[0-9a-f]{64}$/i.test(hash)) return
    input.value = hash
    const body = new URLSearchParams(new FormData(input.form))
    const headers = { accept: 'text/html' }
    await fetch(location.pathname, { method: 'POST', body, headers, signal: AbortSignal.timeout(POST_MS) }).catch(
      () => {},
    )
  }

  const wordsOf = (error) => {
    const words = place()?.dataset ?? {}
    if (/insufficient/i.test(String(error?.message))) return words.poor
    return words[WORDS_OF[codeOf(error)] ?? 'failed']
  }

  const codeOf = (error) => error?.data?.originalError?.code ?? error?.code

  const begin = () => {
    asked = false
    say('')
    show()
  }

  addEventListener('eip6963:announceProvider', ({ detail }) => {
    const { info, provider } = detail ?? {}
    if (!info?.uuid || typeof provider?.request !== 'function' || found.size >= WALLETS_MAX) return
    found.set(info.uuid, { name: String(info.name ?? '').slice(0, NAME_MAX), provider })
    show()
  })
  addEventListener('ethereum#initialized', show)
  // The script of the page puts a new middle in the place of the old one when something has changed.
  document.addEventListener('daybook:page', begin)
  dispatchEvent(new Event('eip6963:requestProvider'))
  show()
})()
