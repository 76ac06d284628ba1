import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { packPackage, type PackedPackage } from '../../scripts/package/pack-package.ts'
import { packageRoot } from '../../src/shared/package-root.ts'

export interface InstalledPackage extends Disposable {
  /** The empty folder it was installed in. */
  prefix: string
  /** `node_modules/vplane` in there. */
  folder: string
  packed: PackedPackage
  /** The variables that its programs get. */
  environment: Record<string, string>
  /** Runs a program as a user of the package would, with this checkout out of sight. */
  run(command: string, ...args: string[]): { status: number | null; stdout: string; stderr: string }
}

/**
 * Packs what was built and installs it into an empty folder, without the network: the package has no dependencies.
 *
 * @throws {Error} when src/ has changed after the last build.
 */
export function installPackage(): InstalledPackage {
  const root = packageRoot()
  requireFreshBuild(root)
  const prefix = mkdtempSync(join(tmpdir(), 'vplane-installed-'))
  const home = join(prefix, 'home')
  mkdirSync(home)
  const packed = packPackage(root, prefix)
  execFileSync(
    'npm',
    ['install', '--prefix', prefix, '--ignore-scripts', '--offline', '--no-audit', packed.path],
    { cwd: prefix, stdio: 'pipe' },
  )
  const binaries = join(prefix, 'node_modules/.bin')
  const environment = {
    HOME: home,
    PATH: [binaries, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
    // With this in a user's environment a development build of the framework would look for sources.
    NODE_ENV: 'development',
  }
  return {
    prefix,
    folder: join(prefix, 'node_modules/vplane'),
    packed,
    environment,
    run: (command, ...args) =>
      spawnSync(command, args, { cwd: prefix, env: environment, encoding: 'utf8' }),
    [Symbol.dispose]: () => rmSync(prefix, { recursive: true }),
  }
}

function requireFreshBuild(root: string): void {
  const built = statSync(join(root, 'oclif.manifest.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const changed = globSync('src/**/*.ts', { cwd: root }).find(
    (file) => statSync(join(root, file)).mtimeMs > built,
  )
  if (changed !== undefined) {
    throw new Error(`${changed} is newer than dist/; run: npm run build`)
  }
}
