import { cellOf } from './result-location';

describe(cellOf.name, () => {
  it.each(['', 'Sales', 'Sales!', '!B3', 'Sales!B', 'Sales!B0', 'Sales!ABCD1', "'Sales!B3"])(
    'finds no cell in %j',
    (resultLocation) => {
      expect(cellOf({ resultLocation })).toEqual({ sheetName: null, anchorCell: null });
    },
  );

  it.each([
    ['Sales!B3', 'Sales', 'B3'],
    ['Sales!$b$3:D10', 'Sales', 'B3'],
    ["'Bob''s sheet'!A1", "Bob's sheet", 'A1'],
    ["'a!b'!A1:B2", 'a!b', 'A1'],
  ])('reads %s', (resultLocation, sheetName, anchorCell) => {
    expect(cellOf({ resultLocation })).toEqual({ sheetName, anchorCell });
  });

  it('takes what is named by itself before what the location says', () => {
    expect(cellOf({ sheetName: 'Costs', anchorCell: '$c$4', resultLocation: 'Sales!B3' })).toEqual({
      sheetName: 'Costs',
      anchorCell: 'C4',
    });
    expect(cellOf({ sheetName: 'Costs', resultLocation: 'Sales!B3' })).toEqual({
      sheetName: 'Costs',
      anchorCell: 'B3',
    });
  });
});
