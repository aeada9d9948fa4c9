/** A letter to a person, and the mail that takes it there. */
export type Letter = { readonly to: string; readonly subject: string; readonly text: string }
export type Mail = { send(letter: Letter): Promise<void> }
