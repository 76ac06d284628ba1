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
  static override readonly summary =
    'Moves a control plane to another cluster, namespace or driver.'
  static override readonly description =
    'Moves it to another host cluster or namespace, or between a host namespace and this machine. The plane is fenced first, so that nothing writes to it; its data is copied and compared key by key; then it starts at the target with the same CAs, keys and tokens but another address, and is removed from the source. If a move is interrupted, run it again to continue, or run it with --abort as long as nothing was written at the target. Volumes of pods are not moved, and a Service whose IP address is taken at the target gets another one, which is shown first.'
  static override readonly examples = [
    '<%= config.bin %> move dev --to-context prod --to-namespace team-a',
    '<%= config.bin %> move dev --to-driver local --keep-source',
    '<%= config.bin %> move dev --abort',
  ]
  static override readonly group = 'day two'
  static override readonly isContinuable = true
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...changeFlags,
    'to-context': Flags.string({
      summary: 'Context of the target host cluster; by default the same one.',
      helpValue: 'CONTEXT',
    }),
    'to-namespace': Flags.string({
      summary: 'Target host namespace; by default one of the same name.',
      helpValue: 'NAMESPACE',
    }),
    'to-driver': Flags.option({
      options: ['kubernetes', 'local'] as const,
      summary: 'How the plane runs at the target: in a host namespace, or as processes here.',
    })(),
    'without-volumes': withoutVolumesFlag(),
    'keep-source': Flags.boolean({ summary: 'Keeps the source, stopped and fenced.' }),
    abort: Flags.boolean({
      summary: 'Aborts an interrupted move: the plane stays at the source.',
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
        isAborted ? `"${from.name}" is where it was: ${placeOf(from)}.` : 'Nothing was changed.',
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
    outcome.leftovers.forEach((text) => this.ui.warn(`not removed: ${text}`))
    return outcome
  }
}
