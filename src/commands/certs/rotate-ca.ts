import { KeyRotationCommand } from '../../cli/base/key-rotation-command.ts'

export default class CertsRotateCa extends KeyRotationCommand {
  static override readonly summary = 'Rotates the CAs of a control plane, stage by stage.'
  static override readonly description =
    'Rotates all CAs: for the API and its clients, for certificates that the plane signs, for the aggregation layer and for etcd. Each run does one stage: prepare makes everything trust the new CAs too, switch issues all certificates from them, complete removes the old CAs. Old kubeconfigs work until complete: hand out new ones after switch. Contexts on this machine are updated. Components are replaced one after another: with several kube-apiservers no request fails, with one the API is unavailable for some seconds. Run it again to continue after an interruption.'
  static override readonly examples = [
    '<%= config.bin %> certs rotate-ca dev',
    '<%= config.bin %> certs rotate-ca dev --stage complete --dry-run',
  ]
  protected readonly keys = 'ca'
}
