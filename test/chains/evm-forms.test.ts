import test from 'ava'
import fc from 'fast-check'
import { encodeFunctionData, erc20Abi, getAddress, type Hex, parseAbi } from 'viem'
import { balanceCall, signatureCall } from '../../adapters/chains/evm/evm-calls.ts'
import { withLogin } from '../../adapters/chains/rpc/http.ts'
import { eip55 } from '../../adapters/crypto/eip55.ts'

/** What is written out here for the form of an EVM chain is compared with the library that is not loaded for it. */

const bytes = (least: number, most = least) =>
  fc.uint8Array({ minLength: least, maxLength: most }).map((each) => `0x${Buffer.from(each).toString('hex')}` as Hex)

test('J-WAL-06 an address has the capitals of EIP-55, in whatever letter case it comes', (t) => {
  // The examples of EIP-55 itself.
  for (const address of [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  ])
    t.is(eip55(address.toUpperCase().replace('0X', '0x')), address)
  fc.assert(fc.property(bytes(20), (address) => eip55(address) === getAddress(address)))
  for (const bad of ['0x', '0x123', `0x${'g'.repeat(40)}`, 'a'.repeat(42)]) t.throws(() => eip55(bad), undefined, bad)
})

test('J-GEN-05 J-TOK-08 a contract is asked for a balance, and for a signature, as its ABI has it', (t) => {
  const abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
  fc.assert(
    fc.property(bytes(20), bytes(32), bytes(0, 200), (address, hash, signature) => {
      const balance = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] })
      t.is(balanceCall(getAddress(address)), balance)
      t.is(
        signatureCall(hash, signature),
        encodeFunctionData({ abi, functionName: 'isValidSignature', args: [hash, signature] }),
      )
    }),
  )
  for (const bad of ['0x12', `${'1'.repeat(42)}`, `0x${'g'.repeat(40)}`])
    t.throws(() => balanceCall(bad), undefined, bad)
  t.throws(() => signatureCall(`0x${'1'.repeat(64)}`, '0x1'), undefined, 'half a byte')
})

test('the user and the password in the URL of a provider are sent in a header, and the URL is called without them', (t) => {
  const { url, headers } = withLogin(new URL('https://us%40er:pa%3Ass@node.example/v1?key=1'))
  t.is(url.href, 'https://node.example/v1?key=1')
  t.is(headers.authorization, `Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`)
  t.deepEqual(withLogin(new URL('http://node.example/')).headers, {})
})
