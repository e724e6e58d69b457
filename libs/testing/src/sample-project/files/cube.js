module.exports = {
  contextToAppId: () => 'shop',
};
