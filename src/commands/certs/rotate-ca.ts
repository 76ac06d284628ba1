import { nameArgument } from '../../cli/flags/flags.ts'
import {
  KeyRotationCommand,
  keyRotationFlags,
  type KeyRotationOutcome,
} from '../../cli/base/key-rotation-command.ts'

export default class CertsRotateCa extends KeyRotationCommand {
  static override readonly summary = 'Rotates the CAs of a control plane, stage by stage.'
  static override readonly description =
    'All of them: those of its API and its clients, of the certificates that it signs, of the aggregation layer and of etcd. One stage each time: prepare has everything trust new CAs too, switch issues all certificates by them, complete drops the old ones. Kubeconfigs of before hold until complete: hand out new ones after switch. Contexts that vplane keeps on this machine go along. Components are replaced one after the other: with several kube-apiservers no request fails, a plane with one of each does not answer for some seconds. Running it again goes on where it was cut off.'
  static override readonly examples = [
    '<%= config.bin %> certs rotate-ca dev',
    '<%= config.bin %> certs rotate-ca dev --stage complete --dry-run',
  ]
  static override readonly group = 'day two'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = keyRotationFlags

  async run(): Promise<KeyRotationOutcome> {
    return this.rotateKeys('ca', await this.parse(CertsRotateCa))
  }
}
