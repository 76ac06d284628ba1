import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { grantFlags, grantOf, accessFlags, accessOptionsOf } from '../cli/flags/connect-flags.ts'
import { type GivenSecretFlags, secretFlags } from '../cli/flags/secret-flags.ts'
import { nameArgument, timeoutFlag } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { printKubeconfig } from '../cli/output/print-kubeconfig.ts'
import type { KubeconfigJson } from '../cli/results/kubeconfig-json.ts'
import type {
  ChangeDependencies,
  ChangeOptions,
} from '../control-plane/use-cases/change/change-control-plane.ts'
import type { GrantRequest } from '../control-plane/use-cases/connect/grant-access.ts'
import type { SecretPlace } from '../control-plane/use-cases/connect/write-credential.ts'
import { VplaneError } from '../shared/errors.ts'

export interface PrintedKubeconfig {
  name: string
  kubeconfig: KubeconfigJson
}

/** With --secret. */
export interface SecretResult {
  name: string
  secret: { name: string; namespace: string }
  /** Whether the spec was changed. */
  changed: boolean
}

/** With --print-grant. */
export interface GrantResult {
  name: string
  grant: object[]
}

export type KubeconfigResult = PrintedKubeconfig | SecretResult | GrantResult

export default class Kubeconfig extends BaseCommand {
  static override readonly summary = 'Prints a kubeconfig for a control plane.'
  static override readonly description =
    'The kubeconfig names a credential plugin, which starts a paused plane and issues short-lived certificates. With --embed-credentials it contains a certificate that expires after a day, for machines without vplane. With --user or --service-account it authenticates as someone else. With --secret it is not printed: the keeper of the control plane writes it into a Secret of the host cluster, and renews it there.'
  static override readonly examples = [
    '<%= config.bin %> kubeconfig dev > dev.kubeconfig',
    '<%= config.bin %> kubeconfig dev --embed-credentials',
    '<%= config.bin %> kubeconfig dev --user alice --cluster-role view --expires 8h',
    '<%= config.bin %> kubeconfig dev --secret flux-system/dev --user flux',
  ]
  static override readonly group = 'planes'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...selectorFlags,
    'embed-credentials': Flags.boolean({
      summary: 'Embeds a certificate that expires after a day, instead of a plugin.',
    }),
    timeout: timeoutFlag(),
    ...accessFlags,
    ...grantFlags,
    ...secretFlags,
  }

  async run(): Promise<KubeconfigResult> {
    const { args, flags } = await this.parse(Kubeconfig)
    const grant = grantOf(flags)
    const { composition, selected } = await this.select(args.name, flags)
    const place = flags.secret
    if (place !== undefined) {
      const options = { ...selected, isConfirmed: flags.yes, timeoutMs: flags.timeout }
      return flags['print-grant']
        ? this.#printGrant(composition, place, options)
        : this.#write(composition, { place, grant, flags }, options)
    }
    const rendering = {
      ...selected,
      endpointOptions: accessOptionsOf(flags, { ui: this.ui, lasting: true }),
      grant,
      embedCredentials: flags['embed-credentials'],
      timeoutMs: flags.timeout,
    }
    const isJson = this.jsonEnabled()
    const kubeconfig = await printKubeconfig(composition, rendering, { isJson })
    return { name: selected.name, kubeconfig }
  }

  async #write(
    composition: ChangeDependencies,
    {
      flags,
      grant,
      place,
    }: { place: SecretPlace; grant: GrantRequest | undefined; flags: GivenSecretFlags },
    options: ChangeOptions,
  ): Promise<SecretResult> {
    if (grant === undefined) {
      throw new VplaneError(
        'USAGE',
        '--secret needs --user or --service-account: the administrator has no role that can be taken away',
      )
    }
    const { writeCredential } =
      await import('../control-plane/use-cases/connect/write-credential.ts')
    const wanted = {
      secret: place,
      grant,
      format: flags['secret-format'],
      address: flags.exposed ? 'exposed' : undefined,
    } as const
    const { isChanged, plane, secret } = await writeCredential(composition, wanted, options)
    this.log(
      `The Secret "${secret.name}" in namespace "${secret.namespace}" has a credential for "${plane.name}".`,
    )
    return { name: plane.name, secret, changed: isChanged }
  }

  async #printGrant(
    composition: ChangeDependencies,
    place: SecretPlace,
    options: ChangeOptions,
  ): Promise<GrantResult> {
    const { credentialGrant } =
      await import('../control-plane/use-cases/connect/write-credential.ts')
    const { objects, plane } = await credentialGrant(composition, place, options)
    const { formatYaml } = await import('../shared/yaml/yaml.ts')
    this.log(objects.map(formatYaml).join('---\n').trimEnd())
    return { name: plane.name, grant: objects }
  }
}
