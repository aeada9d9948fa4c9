import type { SecurityWords } from './security-en.ts'

/** What the pages about how somebody signs in say, in German. */
export const securityWords: SecurityWords = {
  title: 'Sicherheit',
  emailAndPassword: 'E-Mail-Adresse und Passwort',
  signInAs: ['Sie melden sich an als ', '.'],
  erased: '(gelöscht)',
  changePassword: 'Das Passwort ändern',
  changeAddress: 'Die Adresse ändern',
  devices: 'Geräte',
  leaveIt: 'Alles lassen, wie es ist',
  done: {
    removed: 'Es ist entfernt.',
    password: 'Ihr Passwort ist geändert, und alle anderen Geräte sind abgemeldet.',
  },
  secondStep: 'Zweiter Schritt',
  noSecondStep: {
    member: 'Sie haben keinen. Mit ihm bleibt Ihr Konto Ihres, auch wenn jemand Ihr Passwort erfährt.',
    person:
      'Sie haben keinen. Mit ihm bleibt Ihr Konto Ihres, auch wenn jemand Ihr Passwort erfährt, und Sie brauchen ihn, um Zahlungen zu bestätigen.',
  },
  addSecondStep: 'Einen zweiten Schritt hinzufügen',
  addAnother: 'Einen weiteren hinzufügen',
  lastUsed: 'Passkey, zuletzt verwendet ',
  notUsed: 'Passkey, noch nicht verwendet',
  app: 'Authenticator-App',
  remove: 'Entfernen',
  removeOf: (label) => `${label} entfernen`,
  removeApp: 'Die Authenticator-App entfernen',
  removePasskey: (label) => `Den Passkey „${label}“ entfernen`,
  removeIt: 'Jetzt entfernen',
  removeText: 'Sie können sich damit dann nicht mehr anmelden.',
  removeLast: {
    member:
      'Es ist der letzte zweite Schritt: Danach meldet Sie das Passwort allein an, und Ihre Wiederherstellungscodes sind ungültig.',
    person:
      'Es ist der letzte zweite Schritt: Danach meldet Sie das Passwort allein an, Ihre Wiederherstellungscodes sind ungültig, und Zahlungen lassen sich nicht bestätigen.',
  },
  codes: 'Wiederherstellungscodes',
  codesLeft: (count) =>
    `${count === 0 ? 'Sie haben keinen mehr.' : `Sie haben noch ${count}.`} Damit melden Sie sich an, wenn Ihr Gerät verloren ist.`,
  newCodes: 'Neue erstellen',
  newCodesTitle: 'Neue Wiederherstellungscodes erstellen',
  newCodesText: 'Die bisherigen sind dann ungültig.',
  keepCodes: 'Bewahren Sie Ihre Wiederherstellungscodes auf',
  keepCodesText: [
    'Für den Tag, an dem Ihr Gerät verloren ist: Jeder dieser Codes meldet Sie einmal an. Sie werden ',
    'nur jetzt gezeigt und nie wieder',
    '. Bitte drucken Sie sie aus, oder bewahren Sie sie auf, wo Sie Ihre Passwörter aufbewahren.',
  ],
  haveKept: 'Ich habe sie aufbewahrt',
  addAnotherWay: 'Eine weitere Art der Anmeldung hinzufügen',
  firstStepText:
    'Mit einem zweiten Schritt bleibt Ihr Konto Ihres, auch wenn jemand Ihr Passwort erfährt, und Sie brauchen ihn, um Zahlungen zu bestätigen. Zuerst stellen wir sicher, dass Sie es sind: mit Ihrem Passwort und einem Code, den wir Ihnen per E-Mail schicken.',
  codeMailed: 'Wir haben Ihnen per E-Mail einen Code geschickt. Er gilt 15 Minuten.',
  mailedCode: 'Code',
  chooseStep: 'Wählen Sie Ihren zweiten Schritt',
  passkey: 'Ein Passkey',
  passkeyText:
    'Ihr Gerät erkennt Sie an Finger, Gesicht oder PIN. Sie müssen nichts eintippen, und niemand kann Ihnen den Passkey entlocken.',
  deviceName: 'Name dieses Geräts',
  addPasskey: 'Einen Passkey hinzufügen',
  anApp: 'Eine Authenticator-App',
  appText:
    'Scannen Sie dies mit der App, oder öffnen Sie es auf diesem Gerät, und geben Sie den Code ein, den sie anzeigt.',
  appPicture: 'QR-Code für Ihre Authenticator-App',
  openApp: 'In einer App auf diesem Gerät öffnen',
  byHand: 'Von Hand eingeben',
  appCode: 'Code aus der App',
  addApp: 'Die App hinzufügen',
  yourNewPassword: 'Ihr Passwort ändern',
  othersSignedOut: 'Alle anderen Geräte werden abgemeldet.',
  presentPassword: 'Bisheriges Passwort',
  setPassword: 'Das Passwort setzen',
  sessions: 'Wo Sie angemeldet sind',
  thisOne: ' (dieses Gerät)',
  since: ['Seit ', ', zuletzt gesehen '],
  endOne: 'Abmelden',
  endOneOf: (device, since) => `${device} abmelden, seit ${since}`,
  endOthers: 'Überall sonst abmelden',
}
