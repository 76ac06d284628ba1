import { enableCompileCache } from 'node:module'
import { basename, isAbsolute, join } from 'node:path'
import { processEnvironment } from '../shared/environment.ts'
import { makeFolder } from '../shared/files/make-folder.ts'
import { pathsOf } from '../shared/paths.ts'

/** vplane's entry. It answers what must be fast before the framework is loaded, and imports all else dynamically. */
export async function run(argv: readonly string[]): Promise<void> {
  cacheCompiledModules()
  const [first] = argv
  if (isVersionFlag(first) && !argv.includes('--json')) {
    const { packageVersion } = await import('../shared/package-root.ts')
    const { arch, platform, version } = process
    process.stdout.write(`vplane/${packageVersion()} ${platform}-${arch} node-${version}\n`)
  } else if (first === '__complete') {
    const { runComplete } = await import('./completion/complete.ts')
    await runComplete(argv.slice(1))
  } else if (first === 'credential') {
    const { runCredential } = await import('./credential.ts')
    process.exitCode = await runCredential(argv.slice(1))
  } else if (first === 'tunnel') {
    const { runTunnelProcess } = await import('../compose/run-tunnel-process.ts')
    // Connections to the host that are still open are not needed any more.
    process.exit(await runTunnelProcess(argv.slice(1)))
  } else if (first === 'keeper' && argv[1] === 'run' && isAbsolute(argv.at(-1) ?? '')) {
    const { runKeeper } = await import('./run-keeper.ts')
    process.exit(await runKeeper(argv.slice(2)))
  } else {
    await runFastOrNot(isVersionFlag(first) ? ['version', ...argv.slice(1)] : argv)
  }
}

function isVersionFlag(word: string | undefined): boolean {
  return word === '--version' || word === '-v'
}

async function runFastOrNot(argv: readonly string[]): Promise<void> {
  if (argv[0] === 'connect' && argv.includes('--')) {
    const { fastConnect } = await import('./fast-path/fast-connect.ts')
    const exitCode = await fastConnect(argv)
    if (exitCode !== undefined) {
      process.exitCode = exitCode
      return
    }
  }
  const bin = startedAs(process.argv[1] ?? '')
  // A reader that goes away early, such as `head`, is no failure of vplane.
  process.stdout.on('error', () => {})
  const { fastList } = await import('./fast-path/fast-list.ts')
  const { fastHelp } = await import('./fast-path/fast-help.ts')
  if ((await fastList(argv, bin)) || (await fastHelp(argv, bin))) {
    const { endProcess } = await import('./processes/end-process.ts')
    await endProcess(0)
  }
  const { runCommand } = await import('./run-command.ts')
  await runCommand(argv, bin)
}

/** How the user called vplane: as a plugin, kubectl's words stand in front. */
function startedAs(script: string): string {
  return basename(script).startsWith('kubectl') ? 'kubectl vplane' : 'vplane'
}

/** Caches the compiled code of vplane's modules between runs, if the home is writable. */
function cacheCompiledModules(): void {
  try {
    const folder = join(pathsOf(processEnvironment()).cache, 'compiled')
    makeFolder(folder)
    enableCompileCache(folder)
  } catch {
    // Only speed is lost.
  }
}
