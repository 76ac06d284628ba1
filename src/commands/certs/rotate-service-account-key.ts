import { KeyRotationCommand } from '../../cli/base/key-rotation-command.ts'

export default class CertsRotateServiceAccountKey extends KeyRotationCommand {
  static override readonly summary = 'Rotates the key of ServiceAccount tokens, stage by stage.'
  static override readonly description =
    'Each run does one stage: prepare makes kube-apiserver accept tokens of a new key too, switch signs tokens with it, complete removes the old key. Old tokens are valid until complete: wait an hour after switch, so that pods renew theirs. Components are replaced one after another: with several kube-apiservers no request fails, with one the API is unavailable for some seconds. Run it again to continue after an interruption.'
  static override readonly examples = [
    '<%= config.bin %> certs rotate-service-account-key dev',
    '<%= config.bin %> certs rotate-service-account-key dev --stage complete',
  ]
  protected readonly keys = 'service-account-key'
}
