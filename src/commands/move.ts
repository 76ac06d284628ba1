import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { changeFlags, changeOptionsOf } from '../cli/flags/change-flags.ts'
import { chooseMoveTarget } from '../cli/request/choose-move-target.ts'
import { nameArgument, withoutVolumesFlag } from '../cli/flags/flags.ts'
import { moveSentence, type MoveOutcome, toMoveOutcome } from '../cli/results/move-outcome.ts'
import type { Plane } from '../control-plane/plane/plane.ts'
import { placeOf } from '../control-plane/plane/plane-words.ts'
import { planeWords } from '../cli/catalog/hint-text.ts'

export default class Move extends BaseCommand {
  static override readonly summary = 'Moves a control plane to another place.'
  static override readonly description =
    'To another host cluster, another namespace, or from a host namespace to processes of this machine and back. It is fenced first, so that nobody writes into it; its data is brought there and compared key by key; then it starts there with the same CAs, keys and tokens, at another address, and is removed where it was. A move that was cut off goes on when it is run again, or ends with --abort as long as nothing was written there. Of a plane that runs pods, what lies on their volumes does not go along, and Services whose address is not free there get another one, which is shown first.'
  static override readonly examples = [
    '<%= config.bin %> move dev --to-context prod --to-namespace team-a',
    '<%= config.bin %> move dev --to-driver local --keep-source',
    '<%= config.bin %> move dev --abort',
  ]
  static override readonly group = 'day two'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...changeFlags,
    'to-context': Flags.string({
      summary: 'Context of the host cluster that it goes to; without it, the one where it is.',
      helpValue: 'CONTEXT',
    }),
    'to-namespace': Flags.string({
      summary: 'Host namespace that it goes to; without it, one of the same name.',
      helpValue: 'NAMESPACE',
    }),
    'to-driver': Flags.option({
      options: ['kubernetes', 'local'] as const,
      summary: 'How it is run there: in a host namespace, or as processes here.',
    })(),
    'without-volumes': withoutVolumesFlag(),
    'keep-source': Flags.boolean({ summary: 'Keeps it where it was, stopped and fenced.' }),
    abort: Flags.boolean({
      summary: 'Ends a move that was cut off: the plane stays where it was.',
      exclusive: ['keep-source'],
    }),
  }

  async run(): Promise<MoveOutcome> {
    const { args, flags } = await this.parse(Move)
    const composition = await this.compose(flags)
    const options = {
      ...(await this.selectPlane(args.name, flags, composition)),
      ...changeOptionsOf(flags),
      chooseTarget: (plane: Plane) => chooseMoveTarget(composition, plane, flags),
      signal: this.signal,
    }
    if (flags.abort) {
      const { abortMove } = await import('../control-plane/use-cases/move/abort-move.ts')
      const ended = await abortMove(composition, options)
      const { from, isAborted } = ended
      this.log(
        isAborted ? `"${from.name}" is where it was: ${placeOf(from)}.` : 'Nothing was done.',
      )
      return this.#outcomeOf(toMoveOutcome(ended))
    }
    const { moveControlPlane } =
      await import('../control-plane/use-cases/move/move-control-plane.ts')
    const keepSource = flags['keep-source']
    const withoutVolumes = flags['without-volumes']
    const moving = { ...options, keepSource, withoutVolumes }
    const result = await moveControlPlane(composition, moving)
    const { isMoved, to } = result
    this.log(moveSentence(result))
    if (isMoved) {
      const command = `${this.config.bin} kubeconfig ${planeWords(to)}`
      this.log(`Kubeconfigs elsewhere need its new address: ${command}`)
    }
    return this.#outcomeOf(toMoveOutcome(result))
  }

  #outcomeOf(outcome: MoveOutcome): MoveOutcome {
    outcome.leftovers.forEach((text) => this.ui.warn(`still there: ${text}`))
    return outcome
  }
}
