/** Rounds of what a seller makes of its storefront. */

type Command = readonly [command: string, data: object]

const template = { name: 'x', baseTemplate: 'classic', baseTheme: 'plain', chrome: {}, css: '', layout: 'classic' }

export const siteRounds = {
  site: (n: number): readonly Command[] => [
    ['change', { chrome: { title: `t${n}` }, layout: { sections: ['hero'] } }],
    ['createTemplate', template],
    ['changeTemplate', { id: n, chrome: { title: `#${n}` }, css: `a{order:${n}}` }],
    ['applyTemplate', { id: n }],
    ['deleteTemplate', { id: n - 10 }],
    ['addImage', { image: `i${n}`, format: 'png', bytes: 1_000, width: 1, height: 1 }],
  ],
}
