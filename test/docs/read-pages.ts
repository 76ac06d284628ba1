import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/shared/package-root.ts'

/** A Markdown file of the documentation. */
export interface Page {
  /** `docs/ci.md` */
  path: string
  text: string
  /** Fenced blocks of code, in their order. */
  blocks: Block[]
  /** What is not in a fenced block. */
  prose: string
  /** Its headings as parts of a URL: `exit-codes`. */
  anchors: string[]
}

export interface Block {
  /** `sh`, `yaml`; empty when the page names none. */
  language: string
  code: string
  /** The heading that it stands below. */
  heading: string
}

const PAGES = ['README.md', 'CONTRIBUTING.md', 'bench/README.md', 'docs/**/*.md', 'templates/*.md']

/** Every page that users and contributors read; or the files that match other patterns. */
export function readPages(patterns: readonly string[] = PAGES): Page[] {
  const root = packageRoot()
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .toSorted()
    .map((path) => toPage(path, readFileSync(join(root, path), 'utf8')))
}

/** A page with this path, taken apart. */
export function toPage(path: string, text: string): Page {
  const blocks: Block[] = []
  const prose: string[] = []
  const anchors: string[] = []
  let heading = ''
  let open: Block | undefined
  for (const line of text.split('\n')) {
    const [, fence] = /^ *```(.*)$/.exec(line) ?? []
    const [, title] = /^#+ (.*)$/.exec(line) ?? []
    if (open !== undefined) {
      open.code += fence === undefined ? `${line}\n` : ''
      open = fence === undefined ? open : undefined
    } else if (fence !== undefined) {
      open = { language: fence, code: '', heading }
      blocks.push(open)
    } else {
      prose.push(line)
      if (title !== undefined) {
        heading = title
        anchors.push(anchorOf(title))
      }
    }
  }
  return { path, text, blocks, prose: prose.join('\n'), anchors }
}

/** The part of a URL that GitHub gives to a heading. */
function anchorOf(title: string): string {
  return title
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}
