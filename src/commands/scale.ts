import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { changeFlags, changeOptionsOf } from '../cli/flags/change-flags.ts'
import { type ChangeOutcome, reportChange } from '../cli/results/change-outcome.ts'
import { nameArgument } from '../cli/flags/flags.ts'
import { scaledSpec } from '../control-plane/changes/scaled-spec.ts'
import { VplaneError } from '../shared/errors.ts'
import { changeControlPlane } from '../control-plane/use-cases/change/change-control-plane.ts'

const replicasFlag = (summary: string) => Flags.integer({ min: 1, max: 9, summary, helpValue: 'N' })

export default class Scale extends BaseCommand {
  static override readonly summary = 'Changes the number of replicas of components.'
  static override readonly description =
    'Adds and removes members of etcd one at a time. A new member copies all data before it can vote; a removed member first hands over leadership, and its volume is deleted. Run it again to continue after an interruption.'
  static override readonly examples = [
    '<%= config.bin %> scale dev --etcd 3 --api-server 2',
    '<%= config.bin %> scale dev --etcd 1 --yes',
  ]
  static override readonly group = 'day two'
  static override readonly isContinuable = true
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...changeFlags,
    etcd: Flags.integer({ summary: 'Number of etcd members: 1, 3 or 5.', helpValue: 'N' }),
    'api-server': replicasFlag('Number of kube-apiservers.'),
    'controller-manager': replicasFlag('Number of kube-controller-managers.'),
  }

  async run(): Promise<ChangeOutcome> {
    const { args, flags } = await this.parse(Scale)
    const scale = {
      etcd: flags.etcd,
      apiServer: flags['api-server'],
      controllerManager: flags['controller-manager'],
    }
    if (Object.values(scale).every((count) => count === undefined)) {
      throw new VplaneError('USAGE', 'no number of replicas is given', {
        hints: ['--etcd 3', '--api-server 2', '--controller-manager 2'],
      })
    }
    const { composition, selected } = await this.select(args.name, flags)
    const result = await changeControlPlane(composition, (plane) => scaledSpec(plane, scale), {
      ...selected,
      ...changeOptionsOf(flags),
    })
    return reportChange(result, (sentence) => this.log(sentence))
  }
}
