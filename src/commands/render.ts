import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { chooseNamespace } from '../cli/request/choose-target.ts'
import { specFlags } from '../cli/flags/create-flags.ts'
import { givenFlags } from '../cli/flags/given-flags.ts'
import { withHostDefaults } from '../cli/request/host-defaults.ts'
import { renderFlags } from '../cli/flags/host-flags.ts'
import { specFromFlags } from '../cli/request/spec-from-flags.ts'
import type { Json } from '../shared/json-fields.ts'

export interface RenderResult {
  name: string
  namespace: string
  /** The objects, without the Secrets that are left out. */
  manifests: Json[]
  /** The names of the Secrets that are left out. */
  leftOut: string[]
}

export default class Render extends BaseCommand {
  static override readonly summary =
    'Prints the objects that create would create in a host cluster.'
  static override readonly description =
    'Prints them in the order in which they are applied, for review or for GitOps. For an existing plane, prints its own objects; otherwise the output without keys is the same every time. Secrets with keys are left out and named in a comment, so that the output never replaces the keys of a plane. --show-secrets prints them too; a new plane needs them.'
  static override readonly examples = [
    '<%= config.bin %> render dev --namespace team-a',
    '<%= config.bin %> render dev --preset ha -f plane.yaml > dev.yaml',
    '<%= config.bin %> render dev --show-secrets | kubectl apply --server-side -f -',
  ]
  static override readonly group = 'planes'
  static override readonly args = {
    name: Args.string({ required: true, description: 'Name of the control plane.' }),
  }
  static override readonly flags = {
    ...specFlags,
    ephemeral: Flags.boolean({ summary: 'Faster: data does not survive a reboot.' }),
    'show-secrets': Flags.boolean({
      summary: 'Prints Secrets with keys too; keep the output private.',
    }),
    ...renderFlags,
  }

  async run(): Promise<RenderResult> {
    const { args, flags, metadata } = await this.parse(Render)
    const composition = await this.compose(flags)
    const userSpec = await specFromFlags(flags, givenFlags(flags, metadata), args.name)
    const plane = { name: args.name, userSpec }
    const namespace = await chooseNamespace(composition, flags, plane)
    const { leftOut, objects, text } = await composition.renderPlane({
      name: args.name,
      namespace,
      userSpec: withHostDefaults(userSpec, await this.settings()),
      isSpecGiven: Object.keys(userSpec).length > 0,
      templates: flags.templates,
      showSecrets: flags['show-secrets'],
      signal: this.signal,
    })
    if (!this.jsonEnabled()) {
      process.stdout.write(text)
    }
    return {
      name: args.name,
      namespace,
      manifests: objects.filter((object) => !leftOut.includes(object)),
      leftOut: leftOut.map(({ metadata }) => metadata.name),
    }
  }
}
