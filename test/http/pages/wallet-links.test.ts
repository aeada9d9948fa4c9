import test from 'ava'
import fc from 'fast-check'
import { encodeFunctionData, erc20Abi } from 'viem'
import { walletCall } from '../../../adapters/http/pages/buyer/wallet-call.ts'
import { type WalletWish, walletLink } from '../../../adapters/http/pages/buyer/wallet-links.ts'
import { walletChainOf } from '../../../domain/chains/wallet-chains.ts'
import { networkOf, networks } from '../../../domain/kernel/networks.ts'

const bitcoin: WalletWish = {
  family: 'bitcoin',
  payTo: '175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W',
  units: 2_030_000_000n,
  decimals: 8,
}

test('J-DOOR-03 BIP-21: the examples of the specification', (t) => {
  t.is(
    walletLink({ ...bitcoin, label: 'Luke-Jr' }),
    'bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=20.3&label=Luke-Jr',
  )
  t.is(
    walletLink({ ...bitcoin, units: 5_000_000_000n, label: 'Luke-Jr', message: 'Donation for project xyz' }),
    'bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=50&label=Luke-Jr&message=Donation%20for%20project%20xyz',
  )
})

test('J-DOOR-03 BIP-21: an amount is written in whole coins with a point, never with an exponent', (t) => {
  t.is(walletLink({ ...bitcoin, units: 1n }), 'bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=0.00000001')
})

test('J-DOOR-03 a Litecoin wallet is called by its own name, so that no Bitcoin wallet takes the amount for its coin', (t) => {
  const payTo = 'ltc1qhdhvrwe6rgqns8fz28tee0hphr5x7ulw5exv4w'
  t.is(walletLink({ ...bitcoin, network: 'ltc', payTo }), `litecoin:${payTo}?amount=20.3`)
  t.is(walletLink({ ...bitcoin, network: 'btc' }), 'bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=20.3')
})

test('J-DOOR-03 EIP-681: coins as whole wei, on the chain that is meant', (t) => {
  const wish = { family: 'evm', payTo: '0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359', decimals: 18 } as const
  const plain = walletLink({ ...wish, units: 2_014_000_000_000_000_000n }) ?? ''
  const [example, value] = /^(.*\?value=)(.*)$/.exec(plain)?.slice(1) ?? []
  t.is(example, 'ethereum:0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359?value=')
  // The specification writes the same number as 2.014e18.
  t.is(Number(value), 2.014e18)
  t.is(
    walletLink({ ...wish, units: 1n, chainId: 8453 }),
    'ethereum:0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359@8453?value=1',
  )
})

test('J-DOOR-03 EIP-681: the example of a token transfer', (t) => {
  const wish = {
    family: 'evm',
    payTo: '0x8e23ee67d1332ad560396262c48ffbb01f93d052',
    contract: '0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7',
    units: 1n,
    decimals: 0,
  } as const
  const path = '/transfer?address=0x8e23ee67d1332ad560396262c48ffbb01f93d052&uint256=1'
  t.is(walletLink(wish), `ethereum:0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7${path}`)
  t.is(walletLink({ ...wish, chainId: 1 }), `ethereum:0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7@1${path}`)
})

test('J-DOOR-03 Solana Pay: the examples of the specification', (t) => {
  const wish = { family: 'solana', payTo: 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN' } as const
  t.is(
    walletLink({ ...wish, units: 1_000_000_000n, decimals: 9, label: 'Michael', message: 'Thanks for all the fish' }),
    'solana:mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN?amount=1&label=Michael&message=Thanks%20for%20all%20the%20fish',
  )
  t.is(
    walletLink({ ...wish, units: 10_000n, decimals: 6, contract: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }),
    'solana:mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN?amount=0.01&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  )
})

test('J-DOOR-03 TRON: the coin has a link, its tokens have none that wallets agree on', (t) => {
  const wish = { family: 'tron', payTo: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', units: 1_500_000n, decimals: 6 } as const
  t.is(walletLink(wish), 'tron:TJRabPrwbZy45sbavfcjinPJC18kjpRTv8?amount=1.5')
  t.is(walletLink({ ...wish, contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }), undefined)
})

test('J-DOOR-03 TON: the coin in nanotons and a jetton by its master, as its wallets read them', (t) => {
  const wish = { family: 'ton', payTo: 'EQAaGHUHfkpWFGs428ETmym4vbvRNxCA1o4sTkwqigKjgf-_', decimals: 9 } as const
  t.is(
    walletLink({ ...wish, units: 1_000_000_000n }),
    'ton://transfer/EQAaGHUHfkpWFGs428ETmym4vbvRNxCA1o4sTkwqigKjgf-_?amount=1000000000',
  )
  t.is(
    walletLink({ ...wish, units: 1_500_000n, contract: 'UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p' }),
    'ton://transfer/EQAaGHUHfkpWFGs428ETmym4vbvRNxCA1o4sTkwqigKjgf-_?amount=1500000&jetton=UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p',
  )
})

test('a name that a seller chose cannot add parameters to the link', (t) => {
  const link = walletLink({ ...bitcoin, label: 'a&amount=1#?x=é' }) ?? ''
  t.is(new URL(link).searchParams.get('amount'), '20.3')
  t.is(new URL(link).searchParams.get('label'), 'a&amount=1#?x=é')
})

test('N-81 what a wallet in the browser is asked to send is whole numbers in hex, whatever the amount', (t) => {
  const payTo = `0x${'0Ab'.padStart(40, '1')}` as const
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), (units) => {
      const coin = walletCall({ chainId: 8453, payTo, units, contract: undefined })
      t.deepEqual(coin, { chainId: '0x2105', to: payTo, value: `0x${units.toString(16)}`, data: undefined })
      const token = walletCall({ chainId: 1, payTo, units, contract: '0xc' })
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [payTo, units] })
      t.deepEqual(token, { chainId: '0x1', to: '0xc', value: '0x0', data })
    }),
  )
})

test('N-81 a wallet is told of every main chain of the EVM how to add it, and of no test chain', (t) => {
  for (const { name, title, family, chains } of networks.filter((each) => each.family === 'evm')) {
    const [main, ...tests] = chains
    const told = walletChainOf(name, main.caip2)
    t.is(told?.chainId, `0x${BigInt(main.id).toString(16)}`, family)
    t.is(told?.chainName, title)
    for (const url of [...(told?.rpcUrls ?? []), ...(told?.blockExplorerUrls ?? [])]) t.regex(url, /^https:\/\//)
    for (const { caip2 } of tests) t.is(walletChainOf(name, caip2), undefined)
  }
  t.is(walletChainOf('btc', networkOf('btc')?.chains[0].caip2 ?? ''), undefined)
})
