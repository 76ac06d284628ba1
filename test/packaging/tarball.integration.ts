import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { packageRoot, packageVersion } from '../../src/shared/package-root.ts'
import { type InstalledPackage, installPackage } from './install-package.ts'

const MEBIBYTE = 1024 * 1024
const BINS = ['kubectl-vplane', 'kubectl_complete-vplane', 'vplane']

let installed: InstalledPackage

beforeAll(() => {
  installed = installPackage()
  return () => installed[Symbol.dispose]()
})

describe('the package', () => {
  test('holds what it needs and nothing else', () => {
    const paths = installed.packed.files.map(({ path }) => path)

    expect(paths).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'THIRD_PARTY_NOTICES',
        'oclif.manifest.json',
        'package.json',
        ...BINS.map((name) => `bin/${name}.js`),
        'dist/cli/fast-path/with-planes.cjs',
        'dist/cli/run.cjs',
        'dist/library/index.js',
        'dist/gateway.mjs.br',
        'dist/keeper.mjs.br',
        'dist/operator.mjs.zst',
        'dist/syncer.mjs.br',
        'dist/types/library/index.d.ts',
      ]),
    )
    const expected =
      /^(LICENSE|README\.md|THIRD_PARTY_NOTICES|oclif\.manifest\.json|package\.json|bin\/[a-z_-]*vplane\.js|dist\/(gateway|keeper|syncer)\.mjs\.br|dist\/operator\.mjs\.zst|dist\/.*\.c?js|dist\/types\/.*\.d\.ts|schemas\/.*\.json|templates\/(README\.md|.*\.(yaml|bash|fish|ps1|zsh)))$/
    expect(paths.filter((path) => !expected.test(path))).toEqual([])
  })

  test('stays small', () => {
    const { unpackedSize, files } = installed.packed
    const largest = files.toSorted((a, b) => b.size - a.size).slice(0, 3)

    process.stdout.write(
      `unpacked ${(unpackedSize / MEBIBYTE).toFixed(2)} MiB in ${files.length} files, the largest: ` +
        `${largest.map(({ path, size }) => `${path} ${Math.round(size / 1024)} KiB`).join(', ')}\n`,
    )

    expect(unpackedSize).toBeLessThan(6.5 * MEBIBYTE)
  })

  test('brings no other package with it', () => {
    const packages = readdirSync(join(installed.prefix, 'node_modules')).filter(
      (name) => !name.startsWith('.'),
    )

    expect(packages).toEqual(['vplane'])
  })

  test('names every package inside it with its license', () => {
    const notices = readFileSync(join(installed.folder, 'THIRD_PARTY_NOTICES'), 'utf8')

    expect(notices).toMatch(/^@oclif\/core \d+\.\d+\.\d+\nLicense: MIT$/m)
    expect(notices).toMatch(/^yaml \d+\.\d+\.\d+\nLicense: ISC$/m)
  })

  test('mentions no file of the machine that built it', () => {
    const built = installed.packed.files.filter(({ path }) => /\.(js|json|d\.ts)$/.test(path))

    const telling = built.filter(({ path }) =>
      readFileSync(join(installed.folder, path), 'utf8').includes(packageRoot()),
    )

    expect(telling).toEqual([])
  })
})

describe('the installed command', () => {
  test.for(BINS)('%s can be executed', (name) => {
    const { mode } = statSync(join(installed.folder, 'bin', `${name}.js`))

    expect(mode & 0o111).toBe(0o111)
  })

  test('says its version', () => {
    const { status, stdout, stderr } = installed.run('vplane', '--version')

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(packageVersion())
  })

  test('lists in its help every command that the build found', () => {
    const { commands }: { commands: Record<string, { hidden?: boolean; aliases?: string[] }> } =
      JSON.parse(readFileSync(join(installed.folder, 'oclif.manifest.json'), 'utf8'))
    const shown = Object.entries(commands).filter(([, { hidden }]) => hidden !== true)

    const { stdout } = installed.run('vplane', '--help')

    expect(shown.length).toBeGreaterThan(5)
    const words = shown.map(([id]) => id.split(':')[0] ?? '').filter((word) => word !== 'help')
    for (const word of new Set(words)) {
      expect(stdout).toMatch(new RegExp(`^\\s+${word}\\b`, 'm'))
    }
  })

  test('runs a command from its manifest, with JSON and nothing else on stdout', () => {
    const { status, stdout, stderr } = installed.run('vplane', 'version', '--json')

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ version: packageVersion() })
  })

  test('ends a wrong command line with 2 and no stack', () => {
    const { status, stdout, stderr } = installed.run('vplane', 'versoin')

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('versoin')
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('works as a plugin of kubectl', ({ skip }) => {
    const kubectl = installed.run('kubectl', 'version', '--client')
    skip(kubectl.status !== 0, 'kubectl is not installed')

    const { status, stdout } = installed.run('kubectl', 'vplane', 'version', '--json')

    expect(JSON.parse(stdout)).toMatchObject({ version: packageVersion() })
    expect(status).toBe(0)
  })
})

test('what a guard starts to remove planes runs by itself', () => {
  const program = join(installed.folder, 'dist/drivers/local/guard/remove-protected-main.js')

  expect(installed.run('node', program)).toMatchObject({ status: 0, stderr: '' })
})

describe('the installed library', () => {
  test('can be imported without its optional peers', () => {
    const script = `import('vplane').then((library) => console.log(typeof library.startControlPlane))`

    expect(installed.run('node', '--eval', script)).toMatchObject({
      stdout: 'function\n',
      stderr: '',
    })
  })

  test('has types that a strict consumer accepts, declaration files included', () => {
    const checked = typeCheck('plain', {
      source: `
        import { startControlPlane } from 'vplane'
        await using plane = await startControlPlane()
        export const kubeconfig: string = plane.kubeconfig
        export const path: string = await plane.writeKubeconfig()
        // @ts-expect-error -- the types must be real ones, not any
        export const wrong: number = plane.kubeconfig`,
      packages: ['@types/node', 'undici-types'],
      skipLibCheck: false,
    })

    expect(checked).toMatchObject({ status: 0, stdout: '' })
  })

  test('has types for the entries with peers', () => {
    const checked = typeCheck('peers', {
      source: `
        import * as clientNode from 'vplane/client-node'
        import * as vitest from 'vplane/vitest'
        export const all: object[] = [clientNode, vitest]`,
      packages: ['@types/node', 'undici-types', '@kubernetes/client-node', 'vitest'],
      skipLibCheck: true,
    })

    expect(checked).toMatchObject({ status: 0, stdout: '' })
  })
})

interface Consumer {
  source: string
  /** Packages the consumer has beside vplane: links to those of this checkout. */
  packages: string[]
  skipLibCheck: boolean
}

/** Type-checks a project that has vplane installed, with the compiler of this checkout. */
function typeCheck(name: string, { source, packages, skipLibCheck }: Consumer) {
  const root = packageRoot()
  const folder = join(installed.prefix, name)
  const modules = join(folder, 'node_modules')
  // A copy, so that its imports are looked for in this project and not where it was installed.
  cpSync(installed.folder, join(modules, 'vplane'), { recursive: true })
  for (const each of packages) {
    mkdirSync(dirname(join(modules, each)), { recursive: true })
    symlinkSync(join(root, 'node_modules', each), join(modules, each))
  }
  writeFileSync(join(folder, 'consumer.mts'), source)
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'esnext.disposable'],
    types: ['node'],
    skipLibCheck,
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['consumer.mts'] }),
  )
  return installed.run(join(root, 'node_modules/.bin/tsc'), '--project', folder)
}
