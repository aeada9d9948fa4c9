// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.30;

/// The smallest ERC-20 the tests need: six decimals, anyone may mint. It has no constructor, so that
/// `anvil_setCode` works with its runtime code at any address.
contract TestToken {
    string public constant name = "Test Dollar";
    string public constant symbol = "USDC";
    uint8 public constant decimals = 6;

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) public returns (bool) {
        require(balanceOf[msg.sender] >= value, "balance too small");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// Several transfers in one transaction.
    function transferMany(address[] calldata to, uint256[] calldata value) external {
        for (uint256 i = 0; i < to.length; i++) transfer(to[i], value[i]);
    }

    /// Hands the coin it was sent on to `to`: for the receiver an internal call, not a transaction.
    function forward(address payable to) external payable {
        (bool sent, ) = to.call{value: msg.value}("");
        require(sent, "not sent");
    }
}
