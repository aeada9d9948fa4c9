import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext } from 'ava'
import type { AxeResults, RunOptions } from 'axe-core'
import jsqr from 'jsqr'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { eventually } from '../../src/demo/stage.ts'
import { DEEP } from './depth.ts'

/** Pages as people have them: in a real browser, on a phone and on a desk, by day and by night. */

export type Look = { readonly name: string; readonly options: BrowserContextOptions }

const sizes = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } }

/** Each size by day and by night. */
export const allLooks: readonly Look[] = (['phone', 'desktop'] as const).flatMap((size) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    name: `${size}-${colorScheme}`,
    options: { viewport: sizes[size], colorScheme, reducedMotion: 'reduce' as const },
  })),
)

/** A phone by day; each size by day and by night in the deep run. */
export const looks = DEEP ? allLooks : allLooks.filter(({ name }) => name === 'phone-light')

/** Where pictures of the pages are put, to be looked at. */
export const SHOTS = fileURLToPath(new URL('../browser/.shots', import.meta.url))

/** The build without a window asks for no language unless it is told one. */
export const startBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', '--accept-lang=en-US,en'] })

/** A page that notes what its own policy forbade, and what went wrong in it. */
export const openPage = async (context: BrowserContext): Promise<{ page: Page; wrong: string[] }> => {
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text())
  })
  page.on('pageerror', (error) => wrong.push(String(error)))
  return { page, wrong }
}

/** The short form of axe-core, less than half as long; a page that has it already takes it as it is. */
const AXE = `globalThis.axe || (() => {${readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')}
})(); 0`
/** What passed is not told of each element. */
const AXE_OPTIONS = { resultTypes: ['violations'] } as const satisfies RunOptions

/** What axe-core finds wrong with a page that would keep somebody from using it. */
export const barriers = async (page: Page): Promise<string[]> => {
  await page.evaluate(AXE)
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(AXE_OPTIONS)})`)) as AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Takes a picture of a whole page in the deep run, and where PICTURES is set: nobody looks at those of each run. */
export const shoot = async (page: Page, name: string): Promise<void> => {
  if (!DEEP && !process.env.PICTURES) return
  await mkdir(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
}

/** What a camera reads from the screen; undefined when it finds no QR code. */
export const scanned = async (page: Page): Promise<string | undefined> => {
  const png = (await page.locator('svg.qr').screenshot()).toString('base64')
  const blank = await page.context().newPage()
  try {
    const { pixels, width, height } = await blank.evaluate(drawn, png)
    return scan(Uint8ClampedArray.from(Buffer.from(pixels, 'latin1')), width, height)?.data
  } finally {
    await blank.close()
  }
}

/** Runs in the browser, which can read its own pictures; a letter for each byte is quicker to tell than a number. */
const drawn = async (png: string) => {
  const { createImageBitmap, OffscreenCanvas } = globalThis as unknown as Canvas
  const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0))
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const { width, height } = bitmap
  const context = new OffscreenCanvas(width, height).getContext('2d')
  context.drawImage(bitmap, 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  return { pixels: Array.from(data, (byte) => String.fromCharCode(byte)).join(''), width, height }
}

/** The little of the browser's own interface that is used here; the types of the project are Node's. */
type Canvas = {
  createImageBitmap(blob: Blob): Promise<{ width: number; height: number }>
  OffscreenCanvas: new (
    width: number,
    height: number,
  ) => {
    getContext(kind: '2d'): {
      drawImage(image: object, x: number, y: number): void
      getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray }
    }
  }
}

/** The package is a module of the old kind whose types say otherwise. */
const scan = ((jsqr as { default?: unknown }).default ?? jsqr) as typeof jsqr.default

/** How far what is seen has moved by itself since the page was opened, as Chromium counts it; 0 where nothing has. */
const movedBy = (page: Page): Promise<number> =>
  page.evaluate(
    `new Promise((resolve) => {
      let sum = 0
      const observer = new PerformanceObserver((list) => {
        for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) sum += value
      })
      observer.observe({ type: 'layout-shift', buffered: true })
      requestAnimationFrame(() => setTimeout(() => resolve(sum)))
      // A page that is not drawn has no frames.
      setTimeout(() => resolve(sum), 5_000)
    })`,
  )

const MOVED_MAX = 0.05

/** How many elements of a page stand elsewhere before its script has shown the buttons that need one. */
export const movedByScript = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const shown = [...document.querySelectorAll('button:is([data-copy], [data-print], [data-passkey])')]
      .filter((button) => !button.hidden)
    const places = () => [...document.querySelectorAll('body *')].map((each) => {
      const { x, y, width, height } = each.getBoundingClientRect()
      return [x, y, width, height].join()
    })
    const after = places()
    for (const button of shown) button.hidden = true
    const before = places()
    for (const button of shown) button.hidden = false
    return before.filter((place, n) => place !== after[n]).length
  })()`)

/** Nothing keeps anybody from using it, it fits its screen, and it stays where it was. */
export const looked = async (t: ExecutionContext, page: Page, name: string) => {
  await shoot(page, name)
  t.deepEqual(await barriers(page), [], name)
  const [inner, outer] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [number, number]
  t.true(inner <= outer, `${name} is ${inner} wide on ${outer}`)
  t.is(await movedByScript(page), 0, `${name} moves when its script comes`)
  const moved = await movedBy(page)
  t.true(moved <= MOVED_MAX, `${name} moved by ${moved}`)
}

/** What a browser lets its pages do so that `copyTwice` can look. */
export const CLIPBOARD = ['clipboard-read', 'clipboard-write']

/**
 * Clicks a button that copies a text, and again while it still says so; then it is called as before. It says so only
 * for a moment, which may be over before anybody looks, so the page itself notes what the button says.
 */
export const copyTwice = async (t: ExecutionContext, page: Page, selector: string, text: string) => {
  const button = page.locator(selector)
  const called = await button.textContent()
  const said = await page.evaluateHandle<string[]>(
    `(() => {
      const said = []
      const note = (changes) => {
        for (const { addedNodes } of changes) for (const node of addedNodes) said.push(node.textContent)
      }
      new MutationObserver(note).observe(document.querySelector('${selector}'), { childList: true })
      return said
    })()`,
  )
  const hasSaid = (times: number) => async () => (await said.jsonValue()).length >= times
  await button.click()
  await eventually('it is copied', hasSaid(1))
  t.is(await page.evaluate('navigator.clipboard.readText()'), text)
  await button.click()
  await eventually('both words are taken back', hasSaid(4))
  const words = await said.jsonValue()
  t.deepEqual([words.filter((word) => word === 'Copied').length, words.at(-1)], [2, called])
}
