import { KeyRotationCommand } from '../../cli/base/key-rotation-command.ts'

export default class CertsRotateEncryptionKey extends KeyRotationCommand {
  static override readonly summary =
    'Rotates the key that Secrets are encrypted with, stage by stage.'
  static override readonly description =
    'Each run does one stage: prepare lets kube-apiserver read Secrets with a new key too, switch encrypts new Secrets with it, complete rewrites all Secrets, checks in etcd that each is encrypted with the new key, and then removes the old key. Only kube-apiserver is replaced: with several of them no request fails, with one the API is unavailable for some seconds. Run it again to continue after an interruption.'
  static override readonly examples = [
    '<%= config.bin %> certs rotate-encryption-key dev',
    '<%= config.bin %> certs rotate-encryption-key dev --stage complete',
  ]
  protected readonly keys = 'encryption-key'
}
