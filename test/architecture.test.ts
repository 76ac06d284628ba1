import { existsSync, globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../src/shared/package-root.ts'

const SOURCE = join(packageRoot(), 'src')

const CONTRACT: Record<string, { flags: Record<string, string> }> = JSON.parse(
  readFileSync(join(packageRoot(), 'test/commands/commands.snapshot.json'), 'utf8'),
)

/** A command of vplane in a text. */
const COMMANDS = new RegExp(
  `\\bvplane (?:${Object.keys(CONTRACT)
    .map((id) => id.replace(':', ' '))
    .join('|')})\\b`,
)

const FLAGS = new Set(
  Object.values(CONTRACT)
    .flatMap(({ flags }) => Object.keys(flags))
    .flatMap((flag) => [flag, `no-${flag}`]),
)

/** How many files of its own a folder may have; oclif wants all commands in one. */
const MOST_FILES = 14

/** The domain does no input and output of its own; `node:net` only tells what is an address. */
const NOT_IN_DOMAIN =
  /^node:(fs|fs\/promises|child_process|http|https|http2|tls|dgram|os|process|stream)$/

const DRIVERS = ['drivers/local', 'drivers/kubernetes']

/** Room -> the rooms and the packages it may import. A room may always import itself and Node's own modules. */
const ROOMS: Record<string, { rooms: string[]; packages?: string[] }> = {
  shared: { rooms: [], packages: ['tar-stream', 'yaml', 'write-file-atomic'] },
  'control-plane': { rooms: ['shared'], packages: ['croner', 'zod'] },
  pki: { rooms: ['shared', 'control-plane'], packages: ['node-forge'] },
  kubeconfig: { rooms: ['shared', 'control-plane'], packages: ['yaml'] },
  kube: { rooms: ['shared'], packages: ['socks', 'ws'] },
  manifests: { rooms: ['shared', 'control-plane'] },
  etcd: { rooms: ['shared', 'control-plane'] },
  database: { rooms: ['shared', 'control-plane'], packages: ['mysql2', 'pg'] },
  backup: {
    rooms: ['shared', 'control-plane'],
    packages: ['@aws-sdk/client-s3', '@aws-sdk/lib-storage'],
  },
  data: { rooms: ['shared', 'control-plane', 'etcd', 'backup', 'database'] },
  tunnel: { rooms: ['shared', 'control-plane'], packages: ['http-proxy'] },
  gateway: { rooms: ['shared', 'kube', 'manifests'] },
  'drivers/local': {
    rooms: ['shared', 'control-plane', 'pki', 'kube', 'etcd', 'backup', 'database', 'data'],
    packages: ['execa', 'undici'],
  },
  'drivers/kubernetes': {
    rooms: [
      'shared',
      'control-plane',
      'pki',
      'kube',
      'manifests',
      'tunnel',
      'etcd',
      'database',
      'data',
    ],
  },
  syncer: { rooms: ['shared', 'control-plane', 'kube', 'manifests'] },
  keeper: {
    rooms: [
      'shared',
      'control-plane',
      'pki',
      'kube',
      'manifests',
      'etcd',
      'backup',
      'gateway',
      ...DRIVERS,
    ],
  },
  operator: {
    rooms: [
      'shared',
      'control-plane',
      'pki',
      'kube',
      'manifests',
      'keeper',
      'compose',
      'drivers/kubernetes',
      // Its statuses name commands, as the errors of the CLI do.
      'cli',
    ],
  },
  compose: {
    rooms: [
      'shared',
      'control-plane',
      'pki',
      'kubeconfig',
      'kube',
      'manifests',
      'tunnel',
      'backup',
      'database',
      'keeper',
      ...DRIVERS,
    ],
  },
  cli: {
    rooms: ['shared', 'control-plane', 'compose'],
    packages: ['@oclif/core', 'ora', '@inquirer/prompts', 'zod'],
  },
  commands: { rooms: ['shared', 'control-plane', 'compose', 'cli'], packages: ['@oclif/core'] },
  library: {
    rooms: ['shared', 'control-plane', 'compose'],
    packages: ['vitest', '@kubernetes/client-node'],
  },
}

test('every import stays within what its room may use', () => {
  expect(sourceFiles().flatMap((file) => violations(file, textOf(file)))).toEqual([])
})

test.for([
  ['control-plane/x.ts', `import { launch } from '../drivers/local/launch.ts'`],
  ['control-plane/x.ts', `import { readFile } from 'node:fs/promises'`],
  ['shared/x.ts', `import { z } from 'zod'`],
  ['pki/x.ts', `const forge = await import('../kube/client.ts')`],
  ['cellar/x.ts', ``],
] as const)('finds a planted violation in %s', ([file, text]) => {
  expect(violations(file, text)).toHaveLength(1)
})

test.for([
  ['control-plane/x.ts', `import { z } from 'zod'\nimport { a } from '../shared/errors.ts'`],
  ['drivers/local/a/x.ts', `import { join } from 'node:path'\nimport { a } from '../launch.ts'`],
] as const)('allows what the table allows in %s', ([file, text]) => {
  expect(violations(file, text)).toEqual([])
})

test('no files and no folders import each other in a circle', () => {
  const arrows = sourceFiles().flatMap((file) => arrowsOf(file, textOf(file)))

  expect(circles(arrows)).toEqual([])
  expect(circles(folderArrows(arrows))).toEqual([])
})

test('finds a planted circle of files, by a type and by a dynamic import', () => {
  const arrows = [
    ...arrowsOf('pki/a.ts', `import type { B } from './b.ts'`),
    ...arrowsOf('pki/b.ts', `const { c } = await import('./parts/c.ts')`),
    ...arrowsOf('pki/parts/c.ts', `import { a } from '../a.ts'`),
    ...arrowsOf('pki/parts/d.ts', `import { c } from './c.ts'`),
  ]

  expect(circles(arrows)).toEqual([['pki/a.ts', 'pki/b.ts', 'pki/parts/c.ts']])
  expect(circles(folderArrows(arrows))).toEqual([['pki', 'pki/parts']])
})

test('a folder has a dozen files of its own or little more, and CONTRIBUTING describes it', () => {
  const folders = Map.groupBy(sourceFiles(), dirname)
  const large = [...folders].filter(
    ([folder, { length }]) => length > MOST_FILES && folder !== 'commands',
  )

  expect(large.map(([folder]) => folder)).toEqual([])
  const described = describedFolders()
  expect([...folders.keys()].filter((folder) => !described.includes(folder))).toEqual([])
  expect(described.filter((folder) => !existsSync(join(SOURCE, folder)))).toEqual([])
})

/** Rooms that know the command line: the entries. */
const ENTRIES = ['cli', 'commands', 'library']

/** What starts vplane itself, and the components and images that have flags of the same names. */
const COMMAND_LINES =
  /^(?:compose\/(?:guard|launcher\/)|control-plane\/components\/arguments\/|manifests\/restore\/image-check-pod)/

test('the rooms below the entries say no command and no flag of vplane', () => {
  const found = sourceFiles()
    .filter((file) => !ENTRIES.includes(roomOf(file)) && !COMMAND_LINES.test(file))
    .flatMap((file) => commandLines(file, textOf(file)))

  expect(found).toEqual([])
})

test.for([
  ["hints: ['vplane snapshot list']", 1],
  ['`for more: vplane repair ${name}`', 1],
  ["'leave out --local-port'", 1],
  ["'another vplane that works on it'", 0],
  ["'kubectl get pods --namespace team'", 0],
  ['`--etcd-servers=${servers}`', 0],
  ['/** As `vplane repair` does. */', 0],
] as const)('finds in %s commands and flags: %d', ([text, count]) => {
  expect(commandLines('pki/x.ts', text)).toHaveLength(count)
})

/** Texts of a file with a command or a flag of vplane; those of kubectl are left out. */
function commandLines(file: string, text: string): string[] {
  const code = text.replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '')
  const literals = code.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []
  return literals
    .filter((literal) => !/kubectl|^.wait --for/i.test(literal))
    .filter(
      (literal) =>
        COMMANDS.test(literal) ||
        [...literal.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].some(([, flag]) =>
          FLAGS.has(flag ?? ''),
        ),
    )
    .map((literal) => `${file}: ${literal}`)
}

/** The rules broken by one file; `file` is relative to src. */
function violations(file: string, text: string): string[] {
  const room = roomOf(file)
  const rules = ROOMS[room]
  if (rules === undefined) {
    return [`${file}: no room "${room}" in the table`]
  }
  const allowed = new Set([room, ...rules.rooms])
  return importsOf(text).flatMap((specifier) => {
    if (specifier.startsWith('.')) {
      const target = roomOf(join(dirname(file), specifier))
      return allowed.has(target) ? [] : [`${file}: room "${room}" imports room "${target}"`]
    }
    const name = packageOf(specifier)
    const isRefused = room === 'control-plane' && NOT_IN_DOMAIN.test(specifier)
    const isAllowed = (isBuiltin(specifier) && !isRefused) || (rules.packages ?? []).includes(name)
    return isAllowed ? [] : [`${file}: room "${room}" imports package "${name}"`]
  })
}

/** From one file or folder to another one that it imports. */
type Arrow = readonly [from: string, to: string]

function arrowsOf(file: string, text: string): Arrow[] {
  return importsOf(text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => [file, join(dirname(file), specifier)])
}

function folderArrows(arrows: readonly Arrow[]): Arrow[] {
  return arrows
    .map(([from, to]): Arrow => [dirname(from), dirname(to)])
    .filter(([from, to]) => from !== to)
}

/** Those that reach each other, by the alphabet. */
function circles(arrows: readonly Arrow[]): string[][] {
  const next = Map.groupBy(arrows, ([from]) => from)
  const reached = (start: string) => {
    const found = new Set<string>()
    const ahead = [start]
    for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
      const steps = next.get(at)?.map(([, to]) => to) ?? []
      ahead.push(...steps.filter((to) => !found.has(to)))
      steps.forEach((to) => found.add(to))
    }
    return found
  }
  const all = new Map([...next.keys()].map((one) => [one, reached(one)]))
  const inCircles = [...all.keys()].filter((one) => all.get(one)?.has(one)).toSorted()
  const groups = Map.groupBy(inCircles, (one) =>
    inCircles.find((other) => all.get(one)?.has(other) && all.get(other)?.has(one)),
  )
  return [...groups.values()]
}

/** The folders of src that the layout in CONTRIBUTING.md names, a line each, indented below the one they lie in. */
function describedFolders(): string[] {
  const text = readFileSync(join(packageRoot(), 'CONTRIBUTING.md'), 'utf8')
  const [, layout = ''] = /^```text\nsrc\/\n(.*?)^```/ms.exec(text) ?? []
  const above: string[] = []
  return layout.split('\n').flatMap((line) => {
    const [, indent, name] = /^( +)([\w-]+)\//.exec(line) ?? []
    if (indent === undefined || name === undefined) {
      return []
    }
    above.splice(indent.length / 2 - 1, Infinity, name)
    return [above.join('/')]
  })
}

function roomOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  return first === 'drivers' ? `${first}/${second}` : first
}

/** Examples in comments import what a user has. */
function importsOf(text: string): string[] {
  const pattern =
    /(?:^|[\s;}])(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm
  const code = text.replaceAll(/^\s*\*.*$/gm, '')
  return [...code.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** The files of src, by their path in it. */
function sourceFiles(): string[] {
  return globSync('**/*.ts', { cwd: SOURCE }).toSorted()
}

function textOf(file: string): string {
  return readFileSync(join(SOURCE, file), 'utf8')
}
