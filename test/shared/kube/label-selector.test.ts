import { expect, test } from 'vitest'
import {
  isSelected,
  type LabelSelector,
  parseLabelSelector,
} from '../../../src/shared/kube/label-selector.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test.for([
  ['', []],
  ['team=shop', ['team In shop']],
  ['team==shop', ['team In shop']],
  ['env!=prod', ['env NotIn prod']],
  ['team=', ['team In ']],
  ['tier in (a,b)', ['tier In a b']],
  ['tier notin( a, b )', ['tier NotIn a b']],
  ['legacy', ['legacy Exists']],
  ['!legacy', ['legacy DoesNotExist']],
  ['in', ['in Exists']],
  ['size>2,size<5', ['size Gt 2', 'size Lt 5']],
  [
    ' team = shop , env!=prod,tier in (a,b),! example.com/legacy',
    ['team In shop', 'env NotIn prod', 'tier In a b', 'example.com/legacy DoesNotExist'],
  ],
] as const)('reads the selector "%s"', ([selector, terms]) => {
  const read = parseLabelSelector(selector).map(({ key, operator, values = [] }) =>
    [key, operator, ...values].join(' '),
  )

  expect(read).toEqual(terms)
})

test.for([
  [',', '",": a term is empty'],
  ['team=shop,', '"team=shop,": a term is empty'],
  ['a,=shop', '"=shop": it does not start with the name of a label'],
  ['a b', '"a b": no operator follows "a": =, !=, in, notin, < or >'],
  ['team:shop', '"team:shop": "team:shop" is not a valid label name'],
  ['Shop.example/team', '"Shop.example/team": "Shop.example/team" is not a valid label name'],
  ['team=a=b', '"team=a=b": "a=b" is not a valid label value'],
  ['team=(a', '"team=(a": "(a" is not a valid label value'],
  ['tier in (a,-b)', '"tier in (a,-b)": "-b" is not a valid label value'],
  ['tier in a', '"tier in a": no values in parentheses follow "in"'],
  ['tier in (a', '"tier in (a": no values in parentheses follow "in"'],
  ['tier notin ()', '"tier notin ()": no values in parentheses follow "notin"'],
  ['a,!team=shop', '"!team=shop": "!" needs a name alone'],
  ['size>big', '"size>big": "big" is not a whole number'],
])('says what is wrong with the selector "%s"', ([selector = '', message]) => {
  const hints = ['such as "team=shop,env!=prod,tier in (a,b),!legacy"']

  const error = thrownBy(() => parseLabelSelector(selector))

  expect(error).toMatchObject({ code: 'USAGE', message, hints })
})

test.for<[string, LabelSelector, boolean]>([
  ['labels', { matchLabels: { app: 'web' } }, true],
  ['other labels', { matchLabels: { app: 'db' } }, false],
  ['In', term('app', 'In', ['web']), true],
  ['In, not there', term('x', 'In', ['']), false],
  ['NotIn', term('app', 'NotIn', ['web']), false],
  ['NotIn, not there', term('x', 'NotIn', []), true],
  ['Exists', term('toString', 'Exists'), false],
  ['DoesNotExist', term('x', 'DoesNotExist'), true],
  ['what it does not know', term('app', '?'), false],
])('knows what is selected by %s', ([, selector, selected]) => {
  expect(isSelected(selector, { app: 'web' })).toBe(selected)
})

function term(key: string, operator: string, values: string[] = []): LabelSelector {
  return { matchExpressions: [{ key, operator, values }] }
}
