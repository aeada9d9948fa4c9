import type { SignWords } from './sign-en.ts'

/** What the pages of signing up and signing in say, in German. */
export const signWords: SignWords = {
  lang: 'de',
  signIn: 'Anmelden',
  signInAgain: 'Noch einmal anmelden',
  again: 'Für das, was Sie vorhaben, muss klar sein, dass Sie es noch sind.',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  yourPassword: 'Ihr Passwort',
  newPassword: 'Neues Passwort',
  passwordHint: 'Mindestens 8 Zeichen. Am besten sind einige Wörter, die nur für Sie zusammengehören.',
  byPasskey: 'Mit einem Passkey anmelden',
  forgot: 'Passwort vergessen?',
  signUp: 'Konto anlegen',
  signUpButton: 'Das Konto anlegen',
  haveOne: 'Ich habe schon ein Konto',
  name: 'Ihr Name',
  nameHint: 'Sie können dies leer lassen.',
  oneMore: 'Noch ein Schritt',
  goOn: 'Weiter',
  startAgain: 'Von vorn beginnen',
  signOut: 'Abmelden',
  staySignedIn: 'Angemeldet bleiben',
  signedOut: 'Sie sind abgemeldet',
  confirmIt: 'Bestätigen Sie, dass Sie es sind',
  usePasskey: 'Ihren Passkey verwenden',
  noScript: 'Passkeys brauchen JavaScript, das in diesem Browser ausgeschaltet ist.',
  passkeyFailures: {
    NotAllowedError:
      'Es wurde kein Passkey verwendet. Sie können es noch einmal versuchen oder einen anderen Weg wählen.',
    InvalidStateError: 'Dieses Gerät hat schon einen Passkey für Sie.',
    other: 'Der Passkey konnte nicht verwendet werden. Bitte wählen Sie einen anderen Weg.',
  },
  code: 'Code aus Ihrer Authenticator-App',
  recoverySummary: 'Einen Wiederherstellungscode verwenden',
  recovery: 'Wiederherstellungscode',
  recoveryHint: 'Einer der zehn, die Sie aufbewahrt haben. Jeder gilt einmal.',
  confirmEmail: 'Bestätigen Sie Ihre E-Mail-Adresse',
  letterSent: ['Wir haben einen Brief geschickt an ', '. Öffnen Sie den Link darin, dann können Sie sich anmelden.'],
  letterMay: 'Es kann eine Minute dauern, und er kann unter unerwünschter Post liegen.',
  sentAgain: 'Wer sich noch einmal anmeldet, bekommt einen neuen, höchstens fünf in der Stunde.',
  lookIntoMail: 'Sehen Sie in Ihre Post',
  ownerKey: 'Ihr Inhaberschlüssel',
  ownerKeyText:
    'Ihre Programme verwenden ihn. Bewahren Sie ihn auf: mit ihm bekommen Sie auch ein neues Passwort. Wer ihn hat, darf für Ihr Konto handeln.',
  ownerKeyOnce: 'Er wird nur jetzt gezeigt und nie wieder.',
  seatless: 'Sie gehören zu keinem Konto mehr',
  seatlessText:
    'Wem das Konto gehört, hat Sie aus dem Team entfernt oder das Konto geschlossen. Bitten Sie darum, wieder eingeladen zu werden: Mit dem Brief wählen Sie ein Passwort.',
  invited: 'Sie sind Mitglied eines Teams',
  invitedText:
    'Bitten Sie, wem das Konto gehört, Sie zu entfernen und wieder einzuladen: Mit dem Brief wählen Sie ein anderes Passwort.',
  suspendedUserText:
    'Sie können sich nicht anmelden, und von Ihrem Guthaben wird nichts genommen. Was für Sie eingeht, bleibt erhalten. Bitte schreiben Sie dem Betreiber dieses Dienstes.',
  suspended: 'Dieses Konto ist gesperrt',
  suspendedText:
    'Niemand kann sich anmelden. Zahlungen, die vorher verlangt wurden, kommen noch an. Bitte schreiben Sie dem Betreiber dieses Dienstes.',
  forgotAbout:
    'Die Adressen Ihrer Wallets bestimmen, wohin Ihr Geld geht. Darum öffnet ein Brief allein das Konto nicht für jemanden, der Ihre Post liest: etwas anderes von Ihnen muss dazukommen.',
  withPasskey: 'Sie haben einen Passkey',
  withPasskeyText: 'Er meldet Sie ohne Passwort an.',
  withKey: 'Sie haben Ihren Inhaberschlüssel',
  withKeyText:
    'Setzen Sie damit ein neues Passwort. Es gilt 24 Stunden später, und ein Brief sagt es Ihnen sofort, damit ein gestohlener Schlüssel allein nichts öffnet.',
  lostKey: 'Sie kennen das Passwort und haben den Inhaberschlüssel verloren',
  lostKeyText: 'Ein Link per Brief gibt Ihnen zusammen mit dem Passwort einen neuen.',
  lostKeyWay: 'Den Brief anfordern',
  neither: 'Sie haben nichts davon',
  neitherText:
    'Schreiben Sie dem Betreiber dieses Dienstes. Er kann Ihnen einen neuen Schlüssel geben, wenn feststeht, dass Sie es sind.',
  refusals: {
    'This password is wrong. Try again.': 'Dieses Passwort ist falsch. Bitte versuchen Sie es noch einmal.',
    'This code is wrong, or too old.': 'Dieser Code ist falsch oder zu alt.',
    'The passkey could not be added. Please try again.':
      'Der Passkey konnte nicht hinzugefügt werden. Bitte versuchen Sie es noch einmal.',
    'The email address or the password is wrong.': 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    'The passkey was not accepted. Please try again.':
      'Der Passkey wurde nicht angenommen. Bitte versuchen Sie es noch einmal.',
    'The page was open for too long. Please try again.':
      'Die Seite war zu lange offen. Bitte versuchen Sie es noch einmal.',
    'This recovery code is wrong, or was used already.':
      'Dieser Wiederherstellungscode ist falsch oder wurde schon verwendet.',
    'This code is wrong, or was used already. Wait for the next one.':
      'Dieser Code ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten.',
    'This passkey is not known here. Try another one, or choose another way.':
      'Dieser Passkey ist hier nicht bekannt. Versuchen Sie einen anderen, oder wählen Sie einen anderen Weg.',
    'The passkey was not accepted. Try again, or choose another way.':
      'Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal, oder wählen Sie einen anderen Weg.',
    'This was open for too long. Please confirm it again.':
      'Dies war zu lange offen. Bitte bestätigen Sie es noch einmal.',
    'This is not an email address.': 'Das ist keine E-Mail-Adresse.',
    'This is no address that starts with https://.': 'Das ist keine Adresse, die mit https:// beginnt.',
    'This is no language as in en or de-CH.': 'Das ist keine Sprache wie en oder de-CH.',
    'Use at least 8 characters.': 'Nehmen Sie mindestens 8 Zeichen.',
    'Use at most 256 characters.': 'Nehmen Sie höchstens 256 Zeichen.',
    'Do not use your email address.': 'Nehmen Sie nicht Ihre E-Mail-Adresse.',
    'Do not use our name.': 'Nehmen Sie nicht unseren Namen.',
    'This password is one of the first that anybody would try. Choose another one.':
      'Dieses Passwort gehört zu den ersten, die jeder versuchen würde. Wählen Sie ein anderes.',
  },
}
