import { nameArgument } from '../../cli/flags/flags.ts'
import {
  KeyRotationCommand,
  keyRotationFlags,
  type KeyRotationOutcome,
} from '../../cli/base/key-rotation-command.ts'

export default class CertsRotateServiceAccountKey extends KeyRotationCommand {
  static override readonly summary = 'Rotates the key of ServiceAccount tokens, stage by stage.'
  static override readonly description =
    'One stage each time: prepare has kube-apiserver take tokens of a new key too, switch has them signed with it, complete drops the old key. No token ends before complete, so leave an hour after switch, in which pods renew theirs. Components are replaced one after the other: with several kube-apiservers no request fails, a plane with one of each does not answer for some seconds. Running it again goes on where it was cut off.'
  static override readonly examples = [
    '<%= config.bin %> certs rotate-service-account-key dev',
    '<%= config.bin %> certs rotate-service-account-key dev --stage complete',
  ]
  static override readonly group = 'day two'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = keyRotationFlags

  async run(): Promise<KeyRotationOutcome> {
    return this.rotateKeys('service-account-key', await this.parse(CertsRotateServiceAccountKey))
  }
}
