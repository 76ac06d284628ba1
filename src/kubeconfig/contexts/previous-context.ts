import { type ContextExtension, parseExtension, toExtensionValue } from './context-extension.ts'
import { EXTENSION_NAME } from './context-entry.ts'
import { entryIn, type KubeconfigText } from '../text/kubeconfig-text.ts'
import { columnOf, type Edit } from '../text/splice.ts'
import { entriesOf, type Field, fieldOf, isCollection, startOfEntry } from '../text/tokens.ts'
import { type ListItem, listAt } from '../text/top-level.ts'
import { joinUndo, onlyCurrent, withoutCurrent } from '../text/undo.ts'
import { formatBlock, formatFlow } from '../text/yaml-text.ts'

/** What vplane recorded on a context of the text; undefined when the context or the record does not exist. */
export function extensionIn(document: KubeconfigText, name: string): ContextExtension | undefined {
  return parseExtension(name, entryIn(document.data, 'contexts', name)?.['context'])
}

/** What vplane recorded on all contexts but one; records that it cannot read are left out. */
export function otherExtensions(
  document: KubeconfigText,
  name: string,
): Array<{ item: ListItem; extension: ContextExtension }> {
  const list = listAt(document, 'contexts')
  const items = list.kind === 'full' ? list.items : []
  return items.flatMap((item) => {
    const other = item.data['name']
    const extension = typeof other === 'string' && other !== name && tryParse(other, item)
    return extension ? [{ item, extension }] : []
  })
}

/** Makes contexts that would return to this one return to its predecessor instead. */
export function unlink(
  document: KubeconfigText,
  name: string,
  removed: ContextExtension | undefined,
): Edit[] {
  return otherExtensions(document, name)
    .filter(({ extension }) => extension.previousContext === name)
    .flatMap(({ item, extension }) => {
      const { previousContext: _, undo, ...rest } = extension
      return replaceExtension(document, item, {
        ...rest,
        previousContext: removed?.previousContext,
        undo: joinUndo(withoutCurrent(undo), onlyCurrent(removed?.undo)),
      })
    })
}

function tryParse(name: string, { data }: ListItem): ContextExtension | undefined {
  try {
    return parseExtension(name, data['context'])
  } catch {
    // A newer vplane wrote it; the record of another context is not necessary here.
    return undefined
  }
}

function replaceExtension(
  document: KubeconfigText,
  { item }: ListItem,
  extension: ContextExtension,
): Edit[] {
  const field = extensionField(item.value)
  if (field === undefined) {
    return []
  }
  const { text, newline } = document
  const { valueStart: start, valueEnd: end } = field
  const value = toExtensionValue(extension)
  if (field.value?.type !== 'block-map') {
    return [{ start, end, text: ` ${formatFlow(value)}` }]
  }
  const indent = ' '.repeat(columnOf(text, startOfEntry(field.item)) + 2)
  const lines = formatBlock(value).map((line) => newline + indent + line)
  return [{ start, end, text: lines.join('') }]
}

function extensionField(context: ListItem['item']['value']): Field | undefined {
  const extensions = fieldOf(fieldOf(context, 'context')?.value, 'extensions')?.value
  if (!isCollection(extensions)) {
    return undefined
  }
  const names = new RegExp(`^["']?${EXTENSION_NAME.replaceAll('.', '\\.')}["']?$`)
  const entry = entriesOf(extensions).find(({ value }) => {
    const name = fieldOf(value, 'name')?.value
    return name !== undefined && 'source' in name && names.test(name.source)
  })
  return fieldOf(entry?.value, 'extension')
}
