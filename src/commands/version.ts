import { BaseCommand } from '../cli/base/base-command.ts'
import {
  DEFAULT_KUBERNETES_VERSION,
  knownKubernetesVersions,
} from '../control-plane/spec/kubernetes-version.ts'

export interface VersionResult {
  version: string
  node: string
  platform: string
  kubernetes: { default: string; known: string[] }
}

export default class Version extends BaseCommand {
  static override summary = 'Prints the versions of vplane and of Kubernetes.'
  static override group = 'tools' as const
  static override examples = ['<%= config.bin %> version', '<%= config.bin %> version --json']

  async run(): Promise<VersionResult> {
    await this.parse(Version)
    const result = {
      version: this.config.version,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
      kubernetes: { default: DEFAULT_KUBERNETES_VERSION, known: knownKubernetesVersions() },
    }
    const others = result.kubernetes.known.filter((one) => one !== result.kubernetes.default)
    this.log(`vplane      ${result.version} (${result.platform}, Node.js ${result.node})`)
    this.log(`Kubernetes  ${result.kubernetes.default}, also ${others.join(', ')}`)
    return result
  }
}
