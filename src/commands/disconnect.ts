import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/base-command.ts'

export interface DisconnectResult {
  name: string
  context: string
  kubeconfig: string
  /** The context that is current now. */
  currentContext: string | null
}

export default class Disconnect extends BaseCommand {
  static override readonly summary = 'Takes a control plane out of your kubeconfig.'
  static override readonly description =
    'Removes context, cluster and user, and goes back to the context before. Without NAME it is the plane of the current context.'
  static override readonly examples = [
    '<%= config.bin %> disconnect',
    '<%= config.bin %> disconnect dev',
  ]
  static override readonly group = 'start'
  static override readonly args = {
    name: Args.string({ description: 'Name of the control plane.' }),
  }

  async run(): Promise<DisconnectResult> {
    const { args } = await this.parse(Disconnect)
    const { disconnectControlPlane } =
      await import('../control-plane/use-cases/connect-control-plane.ts')
    const composition = await this.compose()
    const { context, currentContext, file, plane } = await disconnectControlPlane(composition, {
      name: args.name,
      signal: this.signal,
    })
    this.log(
      currentContext === undefined
        ? `Removed "${context}" from ${file}; no context is current.`
        : `Removed "${context}" from ${file}; the current context is "${currentContext}".`,
    )
    return { name: plane.name, context, kubeconfig: file, currentContext: currentContext ?? null }
  }
}
