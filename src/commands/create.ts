import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base-command.ts'
import { createFlags } from '../cli/create-flags.ts'
import { waitFlag } from '../cli/flags.ts'
import { makePlane } from '../cli/make-plane.ts'
import { VplaneError } from '../shared/errors.ts'

export interface CreateResult {
  name: string
  driver: string
  namespace: string | null
  version: string
  /** False when it was there before, with the same spec. */
  created: boolean
  ready: boolean
  server: string | null
  /** The context that leads to it now; null when create did not connect. */
  context: string | null
}

export default class Create extends BaseCommand {
  static override readonly summary = 'Makes a control plane: a Kubernetes API of your own.'
  static override readonly description =
    'Returns when its API can be used. Running it again goes on where it was cut off; a plane of the same name and spec is success. On a terminal your kubeconfig is connected to it as well.'
  static override readonly examples = [
    '<%= config.bin %> create dev',
    '<%= config.bin %> create dev --version 1.35 --crd config/crd',
    '<%= config.bin %> create dev -f plane.yaml --set apiGroups=lean',
  ]
  static override readonly group = 'start'
  static override readonly args = {
    name: Args.string({ required: true, description: 'Name of the new control plane.' }),
  }
  static override readonly flags = {
    ...createFlags,
    ephemeral: Flags.boolean({ summary: 'Faster: data is gone on delete and on reboot.' }),
    wait: waitFlag(),
    connect: Flags.boolean({
      allowNo: true,
      summary: 'Connects your kubeconfig to it; the default on a terminal.',
    }),
  }

  async run(): Promise<CreateResult> {
    const { args, flags, metadata } = await this.parse(Create)
    const composition = await this.compose()
    const isVersionDefault = metadata.flags['version']?.setFromDefault === true
    const { access, isNew, plane } = await makePlane(composition, {
      ...flags,
      name: args.name,
      isVersionDefault,
      signal: this.signal,
    })
    const isReady = access !== undefined
    const context = isReady && (await this.wantsConnection(flags.connect)) ? await connect() : null
    this.ui.finish()
    this.log(sentence({ name: plane.name, isNew, isReady, isPaused: plane.desired === 'paused' }))
    this.log(
      context === null
        ? `Use it with: ${this.config.bin} connect ${plane.name} -- kubectl get namespaces`
        : `The current context is "${context}". Go back with: ${this.config.bin} disconnect`,
    )
    return {
      name: plane.name,
      driver: plane.driver,
      namespace: plane.namespace ?? null,
      version: plane.spec.version,
      created: isNew,
      ready: isReady,
      server: access?.server ?? null,
      context,
    }

    async function connect(): Promise<string> {
      if (access === undefined) {
        throw new VplaneError('BUG', 'connected before it was ready')
      }
      const written = await composition.contexts.add(
        { plane, endpoint: access, user: { kind: 'plugin' } },
        AbortSignal.timeout(flags.timeout),
      )
      return written.context
    }
  }

  /** The flag, then the setting, then whether a person sits here. */
  private async wantsConnection(flag: boolean | undefined): Promise<boolean> {
    const wanted = flag ?? (await this.settings()).connect
    const isCi = (this.environment['CI'] ?? '') !== ''
    return wanted ?? (process.stdin.isTTY && process.stderr.isTTY && !isCi && !this.jsonEnabled())
  }
}

interface Outcome {
  name: string
  isNew: boolean
  isReady: boolean
  isPaused: boolean
}

function sentence({ isNew, isPaused, isReady, name }: Outcome): string {
  if (isPaused) {
    return `"${name}" exists with the same spec and is paused.`
  }
  if (!isReady) {
    return isNew ? `"${name}" is starting.` : `"${name}" exists with the same spec.`
  }
  return isNew ? `"${name}" is ready.` : `"${name}" exists with the same spec and is ready.`
}
