import { Args, Flags } from '@oclif/core'
import { type GivenSeveral, SeveralPlanesCommand } from '../cli/base/several-planes-command.ts'
import { chooseTarget } from '../cli/request/choose-target.ts'
import { createFlags } from '../cli/flags/create-flags.ts'
import { createdLines, createdSentence, type CreateOutcome } from '../cli/output/created-lines.ts'
import { createPlanLines } from '../cli/output/create-plan-lines.ts'
import { labelFlag, waitFlag } from '../cli/flags/flags.ts'
import { givenFlags } from '../cli/flags/given-flags.ts'
import { HOST_GROUP } from '../cli/flags/host-flags.ts'
import { parallelFlag } from '../cli/flags/several-flags.ts'
import { makePlane } from '../cli/request/make-plane.ts'
import { type PlannedPlane, planPlane } from '../cli/request/plan-plane.ts'
import type { NewPlanesOptions } from '../cli/request/several-new-planes.ts'
import { type NewSpec, specsFromFlags } from '../cli/request/spec-from-flags.ts'
import { type CreateResult, toCreateResult, toPlannedResult } from '../cli/results/create-result.ts'
import type { SeveralResult } from '../cli/results/several-result.ts'
import { TimedUi } from '../cli/terminal/timings.ts'
import { parseName } from '../control-plane/plane/names.ts'
import { connectPlane } from '../control-plane/use-cases/connect/connect-control-plane.ts'
import { VplaneError } from '../shared/errors.ts'

/** More at once are not faster: their keys need the processor, and a host cluster limits requests. */
const CREATED_AT_ONCE = 4

type SeveralOptions = NewPlanesOptions & GivenSeveral['flags'] & { count?: number | undefined }

export default class Create extends SeveralPlanesCommand {
  static override readonly summary = 'Creates a control plane: a Kubernetes API of your own.'
  static override readonly description =
    'Creates it in a namespace of the cluster that your kubeconfig points at, or as processes on this machine if there is no cluster; --driver selects one of them. Returns when the API is ready. With --declare, an operator creates and keeps it. With --paused, it records the plane and its keys, starts nothing, and needs no binaries or images yet; resume, connect, any use of its context, or create without --paused starts it. If create was interrupted, run it again to continue; if a plane with the same name and spec exists, it succeeds. If the file of -f has several YAML documents, each with a name, it creates a plane for each. On a terminal it also connects your kubeconfig.'
  static override readonly examples = [
    '<%= config.bin %> create dev',
    '<%= config.bin %> create dev --namespace team-a --preset ha',
    '<%= config.bin %> create dev --driver local --version 1.35 --crd config/crd',
    '<%= config.bin %> create dev -f plane.yaml --set apiGroups=lean',
    '<%= config.bin %> create dev --idle 30m --label team=shop',
    '<%= config.bin %> create dev --paused',
    '<%= config.bin %> create dev --count 20 --paused',
    '<%= config.bin %> create -f planes.yaml --paused',
    '<%= config.bin %> create dev --dry-run -o yaml',
    '<%= config.bin %> create dev --declare --namespace team-a',
  ]
  static override readonly group = 'start'
  static override readonly args = {
    name: Args.string({
      description: 'Name of the new control plane; a spec file can have it, too.',
    }),
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
      exclusive: ['adopt', 'output', 'timings'],
    }),
    parallel: parallelFlag({
      summary: 'Number of planes to create at the same time.',
      default: CREATED_AT_ONCE,
    }),
    paused: Flags.boolean({
      summary: 'Creates the plane paused: nothing of it runs until its first use.',
      exclusive: ['adopt', 'crd', 'timings', 'wait'],
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

  protected override readonly words = { doing: 'Creating', done: 'created' }

  async run(): Promise<CreateResult | SeveralResult<CreateResult>> {
    const { args, flags, metadata } = await this.parse(Create)
    if (flags.output !== undefined && !flags['dry-run']) {
      throw new VplaneError('USAGE', '--output prints what would be created: it needs --dry-run', {
        hints: ['to print the result: --json'],
      })
    }
    if (flags.output !== undefined && flags.paused && !flags.declare) {
      throw new VplaneError(
        'USAGE',
        '--output cannot be combined with --paused, unless you pass --declare',
      )
    }
    const given = givenFlags(flags, metadata)
    const specs = await specsFromFlags(flags, given, args.name)
    const [spec, ...others] = specs
    if (others.length > 0) {
      refuseForSeveral(flags.file, given)
    }
    const isSeveral = spec === undefined || others.length > 0 || flags.count !== undefined
    if (flags.connect && (flags.paused || isSeveral)) {
      throw new VplaneError(
        'USAGE',
        '--connect is for one control plane that is started, not for --paused, --count or several documents',
      )
    }
    const ui = new TimedUi(this.ui)
    const composition = { ...(await this.compose(flags)), ui }
    const { signal } = this
    const common = { ...flags, settings: await this.settings(), signal }
    const targetOf: NewPlanesOptions['targetOf'] = (one, shown) =>
      chooseTarget({ ...composition, ui: shown }, flags, { given, ...one })
    if (isSeveral) {
      return this.#createSeveral(specs, { ...common, targetOf })
    }
    parseName(spec.name)
    const request = { ...common, ...spec, target: await targetOf(spec, ui) }
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
    const result = toCreateResult(made)
    return {
      ...result,
      server: connected?.server ?? result.server,
      context: connected?.context ?? null,
      timings: timings ?? null,
    }
  }

  async #createSeveral(
    specs: readonly NewSpec[],
    options: SeveralOptions,
  ): Promise<SeveralResult<CreateResult>> {
    const { count } = options
    const { numbered, severalNewPlanes } = await import('../cli/request/several-new-planes.ts')
    const all = count === undefined ? specs : specs.flatMap((spec) => numbered(spec, count))
    const planes = await severalNewPlanes(await this.compose(), all, options)
    // What one of the same spec fails for, most others would fail for, too.
    const given = { flags: options, stopsAfterFailure: count !== undefined }
    return this.workOnSeveral(planes, given, async ({ composition, say, selected }) => {
      const request = { ...options, ...selected }
      if (options['dry-run']) {
        const plan = await planPlane(composition, request)
        createPlanLines(plan).forEach((line) => composition.ui.print(line))
        return toPlannedResult(plan)
      }
      const made = await makePlane(composition, request)
      say(createdSentence({ ...made, isReady: made.access !== undefined }))
      return toCreateResult(made)
    })
  }

  #report(plan: PlannedPlane): CreateResult {
    const { leftOut, manifests } = plan
    this.ui.finish()
    if (manifests === undefined) {
      createPlanLines(plan).forEach((line) => this.log(line))
    } else {
      if (leftOut.length > 0) {
        this.ui.note(`Secrets with keys are left out: ${leftOut.join(', ')}`)
      }
      process.stdout.write(manifests)
    }
    return toPlannedResult(plan)
  }

  /** The flag, then the setting, then whether a person sits here. */
  private async wantsConnection(flag: boolean | undefined): Promise<boolean> {
    const wanted = flag ?? (await this.settings()).connect
    return wanted ?? this.ui.canAsk
  }
}

/** Flags that are about one plane; all others apply to each. */
const FOR_ONE = ['adopt', 'count', 'output', 'timings']

function refuseForSeveral(file: string | undefined, given: ReadonlySet<string>): void {
  const flag = FOR_ONE.find((one) => given.has(one))
  if (flag !== undefined) {
    throw new VplaneError('USAGE', `--${flag} needs a single plane, and ${file} is for several`)
  }
}

function parseFormat(text: string): 'yaml' | 'json' {
  if (text !== 'yaml' && text !== 'json') {
    throw new VplaneError('USAGE', `"${text}" is not one of yaml, json`)
  }
  return text
}
