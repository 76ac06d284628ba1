import { writeFileSync } from 'node:fs'
import { messageOf } from '../src/shared/errors.ts'
import { packageRoot } from '../src/shared/package-root.ts'
import type { Figure, Result } from './figure.ts'
import { connectFigure } from './figures/connect.ts'
import { createFigure } from './figures/create.ts'
import { hostConnectFigure } from './figures/host-connect.ts'
import { hostCopyFigure } from './figures/host-copy.ts'
import { hostCreateFigure } from './figures/host-create.ts'
import { hostDeleteFigure } from './figures/host-delete.ts'
import { hostFaultsFigure } from './figures/host-faults.ts'
import { hostListFigure } from './figures/host-list.ts'
import { hostMembersFigure } from './figures/host-members.ts'
import { hostMemoryFigure } from './figures/host-memory.ts'
import { hostMoveFigure } from './figures/host-move.ts'
import { hostResumeFigure } from './figures/host-resume.ts'
import { hostRestFigures } from './figures/host-rest.ts'
import { hostScaleFigure } from './figures/host-scale.ts'
import { hostSyncCopierFigure } from './figures/host-sync-copier.ts'
import { hostSyncLoadFigure } from './figures/host-sync-load.ts'
import { hostSyncScaleFigure } from './figures/host-sync-scale.ts'
import { hostSyncFigure } from './figures/host-sync.ts'
import { hostTwentyFigure } from './figures/host-twenty.ts'
import { hostUpgradeFigure } from './figures/host-upgrade.ts'
import { hostWakeFigure } from './figures/host-wake.ts'
import { libraryFigure } from './figures/library.ts'
import { listFigure } from './figures/list.ts'
import { memoryFigure } from './figures/memory.ts'
import { operatorFigure } from './figures/operator.ts'
import { resumeFigure } from './figures/resume.ts'
import { scaleFigure } from './figures/scale.ts'
import { snapshotFigure } from './figures/snapshot.ts'
import { storesFigure } from './figures/stores.ts'
import { tenFigure } from './figures/ten.ts'
import { versionFigure } from './figures/version.ts'
import { wakeFigure, wakeGapFigure, wakeRoundsFigure } from './figures/wake.ts'
import { ensureFreshBuild } from '../scripts/build/fresh-build.ts'
import { type HostLab, openHostLab, whyNoHost } from './host/host-lab.ts'
import { machineFacts } from './machine.ts'
import { parseOptions } from './options.ts'
import { formatMarkdown, formatTable, type Report } from './report.ts'
import { createWorkspace } from './workspace.ts'

const FIGURES: Figure[] = [
  versionFigure,
  connectFigure,
  createFigure,
  resumeFigure,
  wakeFigure,
  wakeRoundsFigure,
  wakeGapFigure,
  libraryFigure,
  listFigure,
  memoryFigure,
  tenFigure,
  snapshotFigure,
  scaleFigure,
  storesFigure,
  hostConnectFigure,
  hostListFigure,
  hostCreateFigure,
  hostDeleteFigure,
  hostMemoryFigure,
  hostTwentyFigure,
  hostScaleFigure,
  ...hostRestFigures,
  hostSyncFigure,
  hostCopyFigure,
  hostSyncScaleFigure,
  hostSyncCopierFigure,
  hostSyncLoadFigure,
  hostResumeFigure,
  hostWakeFigure,
  hostMembersFigure,
  hostUpgradeFigure,
  hostMoveFigure,
  hostFaultsFigure,
  operatorFigure,
]

/** What takes milliseconds is measured this much more often than what takes seconds. */
const SHORT_ROUNDS = 5

// `npm run bench` measures everything, `npm run bench -- --only version,create` only these.
const { json, markdown, only, rounds, ...scale } = parseOptions(
  process.argv.slice(2),
  FIGURES.map(({ name }) => name),
)
const startedAt = new Date()
const interruption = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => interruption.abort(new Error(`interrupted by ${name}`)))
}
const root = packageRoot()
await ensureFreshBuild(root)
await using workspace = await createWorkspace(root, {
  environment: process.env,
  signal: interruption.signal,
})
const say = (text: string) => console.error(text)
await using hosts = new AsyncDisposableStack()
let opened: Promise<HostLab> | undefined
const host = async () => {
  const reason = whyNoHost()
  if (reason !== undefined) {
    say(`no host cluster: ${reason}`)
    return undefined
  }
  opened ??= openHostLab(workspace).then((lab) => hosts.use(lab))
  return await opened
}
const machine = await machineFacts(workspace)
const results: Result[] = []
const isWanted = ({ isOnDemand = false, name }: Figure) =>
  only.length === 0 ? !isOnDemand : only.includes(name)
for (const figure of FIGURES.filter(isWanted)) {
  say(`measuring ${figure.name}`)
  const bench = { ...scale, workspace, rounds, shortRounds: rounds * SHORT_ROUNDS, say, host }
  try {
    results.push(...(await figure.measure(bench)))
  } catch (error) {
    interruption.signal.throwIfAborted()
    // What the others took minutes to find out is not lost with it.
    say(`${figure.name} failed: ${messageOf(error)}`)
    process.exitCode = 1
  }
}
const report: Report = {
  startedAt: startedAt.toISOString(),
  minutes: Math.round((Date.now() - startedAt.getTime()) / 6000) / 10,
  rounds,
  machine,
  results,
}
if (json !== undefined) {
  writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`)
}
if (markdown !== undefined) {
  writeFileSync(markdown, formatMarkdown(report))
}
console.log(formatTable(results))
