import { outputFlag } from '../cli/flags/output-flag.ts'
import { BaseCommand } from '../cli/base/base-command.ts'
import { eventTable, operationLine } from '../cli/output/plane-description.ts'
import { harmlessText } from '../cli/terminal/harmless-text.ts'
import { nameArgument } from '../cli/flags/flags.ts'
import { type PlaneDetails, toPlaneDetails } from '../cli/results/plane-result.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { describeControlPlane } from '../control-plane/use-cases/find/list-control-planes.ts'

export interface EventsResult {
  name: string
  items: PlaneDetails['events']
  /** The operation that works on the plane, or was interrupted; null if there is none. */
  operation: PlaneDetails['operation']
}

export default class Events extends BaseCommand {
  static override readonly summary = 'Shows what happened to a control plane in the last hour.'
  static override readonly description =
    "Shows the host cluster's events about the objects of a plane, the latest last: pods that are scheduled, pulled, killed, or that fail. For a plane on this machine, shows what its keeper did and saw: pauses, wakes and by which clients, backups, alarms. Also the operation that works on the plane, or was interrupted."
  static override readonly examples = [
    '<%= config.bin %> events dev',
    '<%= config.bin %> events dev --json',
  ]
  static override readonly group = 'planes'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = { ...selectorFlags, output: outputFlag('json', 'yaml') }

  async run(): Promise<EventsResult> {
    const { args, flags } = await this.parse(Events)
    const { composition, selected } = await this.select(args.name, flags)
    const described = await describeControlPlane(composition, selected)
    const { plane, status } = described
    const now = new Date()
    this.log(eventTable(status.events ?? [], { now, width: process.stdout.columns }))
    if (status.operation !== undefined) {
      this.log(`Operation: ${harmlessText(operationLine(status.operation, now))}`)
    }
    const { events: items, operation } = toPlaneDetails(described)
    return { name: plane.name, items, operation }
  }
}
