import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { selectorFlags, selectorOf } from '../cli/flags/selector-flags.ts'
import { disconnectControlPlane } from '../control-plane/use-cases/connect/disconnect-control-plane.ts'

export interface DisconnectResult {
  name: string
  context: string
  kubeconfig: string
  /** The context that is current now. */
  currentContext: string | null
}

export default class Disconnect extends BaseCommand {
  static override readonly summary = 'Removes a control plane from your kubeconfig.'
  static override readonly description =
    'Removes context, cluster and user, switches back to the previous context, and stops the tunnel unless a context in your kubeconfig still uses it. Without NAME, it disconnects the plane of the current context.'
  static override readonly examples = [
    '<%= config.bin %> disconnect',
    '<%= config.bin %> disconnect dev',
  ]
  static override readonly group = 'start'
  static override readonly args = {
    name: Args.string({ description: 'Name of the control plane.' }),
  }
  static override readonly flags = {
    ...selectorFlags,
    'kubeconfig-file': Flags.string({
      summary: 'Removes the context from this file instead.',
      helpValue: 'FILE',
    }),
  }

  async run(): Promise<DisconnectResult> {
    const { args, flags } = await this.parse(Disconnect)
    const { accesses, contexts: usual, contextsIn, tunnels } = await this.compose(flags)
    const other = flags['kubeconfig-file']
    const contexts = other === undefined ? usual : contextsIn(other)
    const { context, currentContext, file, plane } = await disconnectControlPlane(
      { accesses, contexts, tunnels, usual },
      { ...selectorOf(flags), name: args.name, signal: this.signal },
    )
    this.log(
      currentContext === undefined
        ? `Removed "${context}" from ${file}; no context is current.`
        : `Removed "${context}" from ${file}; the current context is "${currentContext}".`,
    )
    return { name: plane.name, context, kubeconfig: file, currentContext: currentContext ?? null }
  }
}
