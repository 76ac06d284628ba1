import { nameArgument } from '../../cli/flags/flags.ts'
import {
  KeyRotationCommand,
  keyRotationFlags,
  type KeyRotationOutcome,
} from '../../cli/base/key-rotation-command.ts'

export default class CertsRotateEncryptionKey extends KeyRotationCommand {
  static override readonly summary =
    'Rotates the key that Secrets are encrypted with, stage by stage.'
  static override readonly description =
    'One stage each time: prepare has Secrets read with a new key too, switch has them written with it, complete writes all of them again, looks in etcd itself whether every one is encrypted with the new key, and only then drops the old one. Only kube-apiserver is replaced: with several of them no request fails, a plane with one does not answer for some seconds. Running it again goes on where it was cut off.'
  static override readonly examples = [
    '<%= config.bin %> certs rotate-encryption-key dev',
    '<%= config.bin %> certs rotate-encryption-key dev --stage complete',
  ]
  static override readonly group = 'day two'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = keyRotationFlags

  async run(): Promise<KeyRotationOutcome> {
    return this.rotateKeys('encryption-key', await this.parse(CertsRotateEncryptionKey))
  }
}
