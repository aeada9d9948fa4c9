// Connects the buttons of a page with the passkeys of the device. Everything else on the page works without it.
const { startAuthentication, startRegistration, browserSupportsWebAuthn, browserSupportsWebAuthnAutofill } =
  globalThis.SimpleWebAuthnBrowser

const asks = { get: startAuthentication, create: startRegistration }

for (const button of document.querySelectorAll('button[data-passkey]'))
  if (browserSupportsWebAuthn()) {
    button.hidden = false
    button.addEventListener('click', () => use(button))
  }

async function use(button) {
  const message = button.parentElement.querySelector('[data-passkey-said]')
  message.hidden = true
  button.disabled = true
  try {
    send(button, await asks[button.dataset.passkey]({ optionsJSON: JSON.parse(button.dataset.options) }))
  } catch (error) {
    // The page carries what to say in its language, by the name of the failure.
    const failures = JSON.parse(button.dataset.failures)
    message.textContent = failures[error.name] ?? failures.other
    message.hidden = false
    button.disabled = false
  }
}

function send(button, answer) {
  const { form } = button
  form.elements.namedItem('passkey').value = JSON.stringify(answer)
  // Fields for other ways may be empty now; the button that sends says what the form does.
  form.noValidate = true
  form.requestSubmit(form.querySelector('button:not([type=button])'))
}

// Where a field says so, the browser offers passkeys among the names that it fills in; a person who picks another way
// notices nothing.
const offered =
  document.querySelector('input[autocomplete~=webauthn]') && document.querySelector('button[data-passkey=get]')
if (offered && (await browserSupportsWebAuthnAutofill()))
  startAuthentication({ optionsJSON: JSON.parse(offered.dataset.options), useBrowserAutofill: true }).then(
    (answer) => send(offered, answer),
    () => {},
  )
