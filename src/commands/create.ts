import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { chooseTarget } from '../cli/request/choose-target.ts'
import { createFlags } from '../cli/flags/create-flags.ts'
import { createdLines, createdSentence, type CreateOutcome } from '../cli/output/created-lines.ts'
import { createPlanLines } from '../cli/output/create-plan-lines.ts'
import { labelFlag, waitFlag } from '../cli/flags/flags.ts'
import { givenFlags } from '../cli/flags/given-flags.ts'
import { HOST_GROUP } from '../cli/flags/host-flags.ts'
import { makePlane } from '../cli/request/make-plane.ts'
import { makePlanes } from '../cli/request/make-planes.ts'
import { type PlannedPlane, planPlane } from '../cli/request/plan-plane.ts'
import { type CreatePlanResult, toCreatePlanResult } from '../cli/results/create-plan-result.ts'
import { type PlaceResult, toPlaceResult } from '../cli/results/place-result.ts'
import { specFromFlags } from '../cli/request/spec-from-flags.ts'
import { type Timing, TimedUi } from '../cli/terminal/timings.ts'
import { parseName } from '../control-plane/plane/names.ts'
import type { CreateResult as MadePlane } from '../control-plane/use-cases/create/create-control-plane.ts'
import { connectPlane } from '../control-plane/use-cases/connect/connect-control-plane.ts'
import { VplaneError } from '../shared/errors.ts'
import type { Ui } from '../shared/ui.ts'

export interface CreateResult extends PlaceResult {
  name: string
  version: string
  /** False when it was there before, with the same spec. */
  created: boolean
  ready: boolean
  /** Null when there is none, or it was one of this command alone. */
  server: string | null
  /** The context that leads to it now; null when create did not connect. */
  context: string | null
  /** Where the time went; null without --timings. */
  timings: Timing[] | null
  /** What would be created; null without --dry-run. */
  plan: CreatePlanResult | null
}

export interface CreateListResult {
  /** In the order of their names. */
  items: CreateResult[]
}

export default class Create extends BaseCommand {
  static override readonly summary = 'Creates a control plane: a Kubernetes API of your own.'
  static override readonly description =
    'Creates it in a namespace of the cluster that your kubeconfig points at, or as processes on this machine if there is no cluster; --driver selects one of them. Returns when the API is ready. With --declare, an operator creates and keeps it. With --paused, it records the plane and its keys, starts nothing, and needs no binaries or images yet; resume, connect, any use of its context, or create without --paused starts it. If create was interrupted, run it again to continue; if a plane with the same name and spec exists, it succeeds. On a terminal it also connects your kubeconfig.'
  static override readonly examples = [
    '<%= config.bin %> create dev',
    '<%= config.bin %> create dev --namespace team-a --preset ha',
    '<%= config.bin %> create dev --driver local --version 1.35 --crd config/crd',
    '<%= config.bin %> create dev -f plane.yaml --set apiGroups=lean',
    '<%= config.bin %> create dev --idle 30m --label team=shop',
    '<%= config.bin %> create dev --paused',
    '<%= config.bin %> create dev --count 20 --paused',
    '<%= config.bin %> create dev --dry-run -o yaml',
    '<%= config.bin %> create dev --declare --namespace team-a',
  ]
  static override readonly group = 'start'
  static override readonly isContinuable = true
  static override readonly args = {
    name: Args.string({ required: true, description: 'Name of the new control plane.' }),
  }
  static override readonly flags = {
    ...createFlags,
    ephemeral: Flags.boolean({ summary: 'Faster: data does not survive a reboot.' }),
    idle: Flags.string({
      summary: 'Pauses the plane after this time without use: 30m, 8h.',
      helpValue: 'DURATION',
    }),
    renew: Flags.boolean({
      summary: 'Renews certificates even if no command runs for months.',
    }),
    label: labelFlag(),
    adopt: Flags.boolean({
      summary: 'Uses the data that delete --keep-data left, without asking.',
      helpGroup: HOST_GROUP,
    }),
    declare: Flags.boolean({
      summary: 'Declares the plane by a ControlPlane, which the operator creates and keeps.',
      helpGroup: HOST_GROUP,
      exclusive: ['adopt', 'share-namespace', 'skip-preflight', 'templates'],
    }),
    count: Flags.integer({
      summary: 'Creates this many planes, named NAME-1, NAME-2 and so on.',
      helpValue: 'N',
      min: 1,
      max: 1000,
      exclusive: ['adopt', 'dry-run', 'output', 'timings'],
    }),
    paused: Flags.boolean({
      summary: 'Creates the plane paused: nothing of it runs until its first use.',
      exclusive: ['adopt', 'crd', 'declare', 'output', 'timings', 'wait'],
    }),
    wait: waitFlag(),
    connect: Flags.boolean({
      allowNo: true,
      summary: 'Connects your kubeconfig; the default on a terminal.',
    }),
    timings: Flags.boolean({ summary: 'Prints how long each step took.' }),
    'dry-run': Flags.boolean({ summary: 'Prints what would be created, and creates nothing.' }),
    output: Flags.custom<'yaml' | 'json'>({
      char: 'o',
      summary: 'With --dry-run, prints the objects in this format, as render does.',
      helpValue: 'yaml|json',
      parse: async (format) => parseFormat(format),
      exclusive: ['json'],
    })(),
  }

  async run(): Promise<CreateResult | CreateListResult> {
    const { args, flags, metadata } = await this.parse(Create)
    if (flags.output !== undefined && !flags['dry-run']) {
      throw new VplaneError('USAGE', '--output prints what would be created: it needs --dry-run', {
        hints: ['to print the result: --json'],
      })
    }
    if (flags.connect && (flags.paused || flags.count !== undefined)) {
      throw new VplaneError('USAGE', '--connect needs a single plane that runs')
    }
    const ui = new TimedUi(this.ui)
    const composition = { ...(await this.compose(flags)), ui }
    const given = givenFlags(flags, metadata)
    const { signal } = this
    const name = parseName(args.name)
    const userSpec = await specFromFlags(flags, given)
    const common = { ...flags, name, userSpec, settings: await this.settings(), signal }
    const targetOf = (one: string, shown: Ui) =>
      chooseTarget({ ...composition, ui: shown }, flags, { given, name: one, userSpec })
    if (flags.count !== undefined) {
      const { count } = flags
      return this.#reportAll(await makePlanes(composition, { ...common, count, targetOf }))
    }
    const request = { ...common, target: await targetOf(name, ui) }
    if (flags['dry-run']) {
      return this.#report(await planPlane(composition, { ...request, format: flags.output }))
    }
    const isConnection = !flags.paused && (await this.wantsConnection(flags.connect))
    if (isConnection) {
      // A kubeconfig that cannot be read is the error before anything is created.
      await composition.contexts.planes()
    }
    const made = await makePlane(composition, request)
    const { access, driver, plane } = made
    const isReady = access !== undefined
    const connected =
      isReady && isConnection
        ? await connectPlane(
            composition,
            { driver, plane },
            { embedCredentials: false, timeoutMs: flags.timeout, signal },
          )
        : undefined
    const timings = flags.timings ? ui.timings() : undefined
    this.ui.finish()
    const outcome: CreateOutcome = { ...made, isReady, context: connected?.context, timings }
    createdLines(outcome, this.config.bin).forEach((line) => this.log(line))
    const result = toResult(made)
    return {
      ...result,
      server: connected?.server ?? result.server,
      context: connected?.context ?? null,
      timings: timings ?? null,
    }
  }

  #reportAll(made: readonly MadePlane[]): CreateListResult {
    this.ui.finish()
    made.forEach((one) => this.log(createdSentence({ ...one, isReady: one.access !== undefined })))
    return { items: made.map(toResult) }
  }

  #report(plan: PlannedPlane): CreateResult {
    const { existing, leftOut, manifests, name, place, spec } = plan
    this.ui.finish()
    if (manifests === undefined) {
      createPlanLines(plan).forEach((line) => this.log(line))
    } else {
      if (leftOut.length > 0) {
        this.ui.note(`Secrets with keys are left out: ${leftOut.join(', ')}`)
      }
      process.stdout.write(manifests)
    }
    return {
      name,
      ...toPlaceResult(place),
      version: (existing?.spec ?? spec).version,
      created: false,
      ready: false,
      server: null,
      context: null,
      timings: null,
      plan: toCreatePlanResult(plan),
    }
  }

  /** The flag, then the setting, then whether a person sits here. */
  private async wantsConnection(flag: boolean | undefined): Promise<boolean> {
    const wanted = flag ?? (await this.settings()).connect
    const isCi = (this.environment['CI'] ?? '') !== ''
    return wanted ?? (process.stdin.isTTY && process.stderr.isTTY && !isCi && !this.jsonEnabled())
  }
}

function toResult({ access, isNew, plane }: MadePlane): CreateResult {
  return {
    name: plane.name,
    ...toPlaceResult(plane),
    version: plane.spec.version,
    created: isNew,
    ready: access !== undefined,
    server: access === undefined || access.isTransient === true ? null : access.server,
    context: null,
    timings: null,
    plan: null,
  }
}

function parseFormat(text: string): 'yaml' | 'json' {
  if (text !== 'yaml' && text !== 'json') {
    throw new VplaneError('USAGE', `"${text}" is not one of yaml, json`)
  }
  return text
}
