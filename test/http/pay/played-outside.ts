import { coinbaseSays, krakenSays, okxSays, playSources } from '../../rates/played-sources.ts'
import { playVies, viesSays } from '../../vat/played-vies.ts'

/** What VIES says yes to, what it says no to, and what it is down for. */
export const GOOD = 'DE136695976'
export const UNKNOWN = 'DE129273398'
export const FRENCH = 'FR40303265045'

/**
 * A market and a VAT registry, played on this machine, and the settings by which a service asks them. An ether is 2000
 * dollars, a euro 1.25, a dollar 160 yen; one dollar coin has lost its dollar, and nothing else has a rate.
 */
export const playOutside = async () => {
  const sources = await playSources({
    kraken: () => ({ body: krakenSays({ XETHZUSD: '2000', USDCUSD: '1.0002', USDTZUSD: '0.93' }) }),
    okx: () => ({ body: okxSays({ 'ETH-USD': '2000', 'USDC-USD': '1', 'USDT-USD': '0.94' }, Date.now()) }),
    coinbase: () => ({ body: coinbaseSays({ EUR: '0.8', JPY: '160', ETH: '0.0005' }) }),
  })
  const vies = await playVies(({ countryCode, vatNumber }) =>
    countryCode === 'FR'
      ? { status: 503, body: 'down' }
      : viesSays({ valid: `DE${vatNumber}` === GOOD, name: 'Käse GmbH', requestIdentifier: 'WAPI42' }),
  )
  const names = ['kraken', 'okx', 'coinbase']
  return {
    env: {
      RATES: names.join(),
      ...Object.fromEntries(names.map((name) => [`RATES_${name.toUpperCase()}_URL`, sources.base(name)])),
      VAT_REGISTRY: 'vies',
      VIES_URL: vies.base,
    },
    viesAsked: vies.asked,
    stop() {
      sources.stop()
      vies.stop()
    },
  }
}
