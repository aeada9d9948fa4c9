/** What is mailed to people, and whoever takes it to them. */
export type Letter = { readonly to: string; readonly subject: string; readonly text: string }
export type Mail = { send(letter: Letter): Promise<void> }
